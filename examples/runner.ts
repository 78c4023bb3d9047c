import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

/**
 * An agent runner in small: hands what a model writes to the service, and what
 * the service says back to the model. The model here reads its turns from a
 * file; a real one is any function of the same type.
 */
export type Model = (messages: readonly Message[], tools: readonly Tool[]) => Promise<AssistantMessage>;

export type Message =
  | { role: 'user'; content: string }
  | { role: 'tool'; tool_call_id: string; content: string }
  | AssistantMessage;

export interface AssistantMessage {
  role: 'assistant';
  content: string | null;
  tool_calls?: ToolCall[];
}

interface ToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** A tool as Chat Completions takes it. */
interface Tool {
  type: 'function';
  function: { name: string; description: string; parameters: object; strict: true };
}

/** The reply of `POST /execute`. */
interface Reply {
  content: string;
  result: { content?: string; truncated: boolean; truncated_by?: string; next?: Record<string, number> };
  sequential: boolean;
  prompt: string | null;
  payload: { operation: string; input: Record<string, unknown> };
}

/** A failure, as application/problem+json. */
interface Problem {
  code: string;
  detail: string;
  suggestions?: string[];
}

/** What the model is told, and whether it has the next turn. */
interface Outcome {
  content: string;
  goesOn: boolean;
}

const MAX_TURNS = 20;
/** How many pieces of one file are read without asking the model. */
const MAX_PIECES = 10;
const MAX_TRIES = 4;
const PAYLOAD = /["']action["']\s*:/;

/** Lets the model work at a task until it says something that is no action; gives the whole conversation. */
export async function converse(service: Service, model: Model, task: string): Promise<Message[]> {
  const messages: Message[] = [{ role: 'user', content: task }];
  const tools = await service.tools();
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const said = await model(messages, tools);
    messages.push(said);
    if (said.tool_calls !== undefined) {
      messages.push(...(await Promise.all(said.tool_calls.map((call) => answer(service, call)))));
    } else if (said.content !== null && PAYLOAD.test(said.content)) {
      const { content, goesOn } = await service.execute(said.content);
      messages.push({ role: 'user', content });
      if (!goesOn) return messages;
    } else {
      return messages;
    }
  }
  return messages;
}

async function answer(service: Service, call: ToolCall): Promise<Message> {
  const { content } = await service.execute(JSON.stringify(call));
  return { role: 'tool', tool_call_id: call.id, content };
}

/** The service, as a runner sees it. */
export class Service {
  readonly #address: string;
  readonly #headers: Record<string, string>;

  constructor(address: string, token?: string) {
    this.#address = address;
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  /** The actions, to be given to a model. */
  async tools(): Promise<Tool[]> {
    const response = await fetch(new URL('/skills', this.#address), { headers: this.#headers });
    if (!response.ok) throw new Error(`GET /skills: ${response.status}`);
    const { skills } = (await response.json()) as { skills: { tools: { openai: Tool } }[] };
    return skills.map(({ tools }) => tools.openai);
  }

  /** Runs what a model wrote, as it is. A failure is for the model to read and mend. */
  async execute(body: string): Promise<Outcome> {
    const reply = await this.#send(body);
    if ('code' in reply) return { content: inWords(reply), goesOn: true };
    const content = await this.#readOn(reply);
    return { content: [reply.prompt, content].filter(Boolean).join('\n\n'), goesOn: reply.sequential };
  }

  /** Reads on where the server's own limit cut a file; what the model limited, it goes on with itself. */
  async #readOn(first: Reply): Promise<string> {
    let text = '';
    let reply = first;
    for (let piece = 1; piece < MAX_PIECES && reply.result.truncated_by === 'limit'; piece += 1) {
      const { payload, result } = reply;
      if (result.next === undefined) break;
      text += result.content;
      const more = await this.#send(
        JSON.stringify({ action: payload.operation, input: { ...payload.input, ...result.next } }),
      );
      if ('code' in more) return `${text}\n[${inWords(more)}]`;
      reply = more;
    }
    return text + reply.content;
  }

  /** Sends a body; comes back later while the service is busy. */
  async #send(body: string): Promise<Reply | Problem> {
    for (let tries = 1; ; tries += 1) {
      const url = new URL('/execute', this.#address);
      const response = await fetch(url, { method: 'POST', body, headers: this.#headers });
      if (response.status !== 503 || tries === MAX_TRIES) return (await response.json()) as Reply | Problem;
      await response.body?.cancel();
      await setTimeout(1000 * Number(response.headers.get('retry-after') ?? 1));
    }
  }
}

function inWords({ code, detail, suggestions = [] }: Problem): string {
  return [`${code}: ${detail}`, ...(suggestions.length === 0 ? [] : [`Did you mean ${suggestions.join(', ')}?`])].join(
    ' ',
  );
}

/** A model that has written its turns beforehand. It may call only what it was offered. */
export function scripted(turns: readonly AssistantMessage[]): Model {
  const left = [...turns];
  return async (_messages, tools) => {
    const turn = left.shift();
    if (turn === undefined) throw new Error('the script has ended');
    const offered = new Set(tools.map(({ function: { name } }) => name));
    const other = turn.tool_calls?.find(({ function: { name } }) => !offered.has(name));
    if (other !== undefined) throw new Error(`no tool is called ${other.function.name}`);
    return turn;
  };
}

// node examples/runner.ts examples/turns.json
if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const turns = JSON.parse(await readFile(process.argv[2] ?? 'examples/turns.json', 'utf8'));
  const service = new Service(process.env['FS_URL'] ?? 'http://127.0.0.1:8080', process.env['FS_TOKEN']);
  for (const message of await converse(service, scripted(turns), 'Where is main, and is it tested?')) {
    process.stdout.write(`${JSON.stringify(message)}\n`);
  }
}
