import { ActionUnknown, InputInvalid } from '../errors.ts';
import { operationOf, operations } from '../operations/index.ts';
import { checkInput } from '../operations/input.ts';
import type { Operation } from '../operations/operation.ts';
import { type Json, parseTolerant } from '../text/json/index.ts';
import { skillOf, skills } from './index.ts';
import type { Skill } from './skill.ts';

type JsonObject = Record<string, Json>;

/** What a body of `/execute` asks for. */
export interface Payload {
  action: string;
  operation: Operation;
  /** The operation's input, checked, with every default. */
  input: Record<string, unknown>;
  relativePaths: boolean;
  /** What a skill took besides the operation's fields. */
  options: Record<string, unknown>;
  /** For the runner's next turn. */
  sequential: boolean;
  prompt: string | null;
  warnings: string[];
  repairs: string[];
}

/** A payload taken apart, whatever form it had. */
interface Call {
  action: string;
  fields: JsonObject;
  sequential: Json;
  prompt: Json;
}

const FS_SEARCH = 'fs_search';
const FS_SEARCH_FIELDS = ['mode', 'path', 'pattern'];
/** Members of a payload that are about it and no properties of the action. */
const ASIDE = new Set(['action', 'thinking', 'description', 'sequential', 'prompt', 'properties', 'input']);
/** Properties that every skill's payload may have, for people and for the runner. */
const COMMON_PROPERTIES = new Set(['description', 'thinking', 'sequential', 'prompt']);
const TRUE = new Set(['true', '1', 'yes']);

/**
 * Reads what a model wrote: a skill's payload, a bare fs_search payload, an
 * operation by name, or a tool call. Throws BODY_INVALID, ACTION_UNKNOWN and
 * INPUT_INVALID; nothing is run from a guess. `defaults` stand for fields of the
 * operation that are not given.
 */
export function readPayload(text: string, defaults: Record<string, unknown> = {}, maxDepth?: number): Payload {
  const { value, repairs } = parseTolerant(text, maxDepth);
  const call = toCall(value, repairs, maxDepth);
  const skill = skillOf(call.action);
  const operation = operationOf(call.action);
  if (skill !== undefined) return ofSkill(skill, call, repairs, defaults);
  if (operation !== undefined)
    return toPayload(operation, call, { ...knownTo(operation, defaults), ...call.fields }, repairs);
  throw new ActionUnknown(`There is no action '${call.action.slice(0, 60)}'. ${choices()}`);
}

function choices(): string {
  const names = [...skills.map(({ action }) => action), ...operations.map(({ name }) => name)];
  return `Send {"action": "…", "properties": […]} with one of ${names.join(', ')}.`;
}

function toCall(body: JsonObject, repairs: string[], maxDepth?: number): Call {
  if (isObject(body['function'])) return toCall(body['function'], repairs, maxDepth);
  if ('action' in body) return ofAction(body);
  const { name, arguments: given = body['input'] } = body;
  if (typeof name === 'string' && given !== undefined) return ofToolCall(name, given, repairs, maxDepth);
  if (FS_SEARCH_FIELDS.some((field) => field in body)) return ofAction({ ...body, action: FS_SEARCH });
  throw new ActionUnknown(`The payload has no action. ${choices()}`);
}

function ofAction(body: JsonObject): Call {
  const { action } = body;
  if (typeof action !== 'string' || action === '') throw new ActionUnknown(`The action is empty. ${choices()}`);
  const given = body['properties'] ?? body['input'];
  const beside = Object.fromEntries(Object.entries(body).filter(([name]) => !ASIDE.has(name)));
  // fs_search has its fields beside the action; other models put theirs there, too, when they forget `properties`.
  const fields =
    given === undefined || given === null || action === FS_SEARCH ? { ...beside, ...toFields(given) } : toFields(given);
  return { action, fields, sequential: body['sequential'] ?? null, prompt: body['prompt'] ?? null };
}

function ofToolCall(name: string, given: Json, repairs: string[], maxDepth?: number): Call {
  if (typeof given !== 'string') return { action: name, fields: toFields(given), sequential: null, prompt: null };
  if (given.trim() === '') return { action: name, fields: {}, sequential: null, prompt: null };
  const mended = parseTolerant(given, maxDepth);
  repairs.push(...mended.repairs);
  return { action: name, fields: mended.value, sequential: null, prompt: null };
}

/** Properties as an object; of the same name given twice, the last counts. */
function toFields(given: Json | undefined): JsonObject {
  if (given === undefined || given === null) return {};
  if (isObject(given)) return given;
  if (!Array.isArray(given)) {
    throw new InputInvalid('The properties are neither a list nor an object. Send [{"name": "…", "value": "…"}, …].');
  }
  return Object.fromEntries(
    given.map((property): [string, Json] => {
      if (isObject(property) && typeof property['name'] === 'string')
        return [property['name'], property['value'] ?? null];
      throw new InputInvalid('A property is not {"name": "…", "value": "…"}.');
    }),
  );
}

function ofSkill(skill: Skill, call: Call, repairs: string[], defaults: Record<string, unknown>): Payload {
  const { input: properties, unknown } = checkInput(skill.properties, call.fields, 'json', true);
  const warnings = unknown
    .filter((name) => !COMMON_PROPERTIES.has(name))
    .map((name) => `The property '${name.slice(0, 60)}' is not known and was ignored.`);
  const { operation: name, input, relativePaths = false, options = {}, warnings: own = [] } = skill.toCall(properties);
  const operation = operationOf(name);
  if (operation === undefined) throw new Error(`the skill ${skill.action} names no operation`);
  const given = { ...knownTo(operation, defaults), ...input };
  return { ...toPayload(operation, call, given, repairs), relativePaths, options, warnings: [...warnings, ...own] };
}

function knownTo({ input }: Operation, fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name in input.properties));
}

function toPayload(operation: Operation, call: Call, given: Record<string, unknown>, repairs: string[]): Payload {
  const { input } = checkInput(operation.input, given, 'json');
  const { isRegex, pattern } = input;
  if (isRegex === true && typeof pattern === 'string' && pattern.includes('\b')) {
    // In JSON `\b` is a backspace, which no one searches for; in a regex it is a word boundary.
    input['pattern'] = pattern.replaceAll('\b', '\\b');
    repairs.push("read a backspace in the regex as the word boundary '\\b'");
  }
  return {
    action: call.action,
    operation,
    input,
    relativePaths: false,
    options: {},
    ...sequelOf(call),
    warnings: [],
    repairs,
  };
}

/** What the runner is to do next: said beside the properties, in an object of its own, or among them. */
function sequelOf({ fields, prompt, sequential }: Call): { sequential: boolean; prompt: string | null } {
  const said = sequential ?? fields['sequential'] ?? null;
  const inner = isObject(said) ? said['prompt'] : undefined;
  const text = [inner, prompt, fields['prompt']].find((candidate) => typeof candidate === 'string' && candidate !== '');
  return {
    sequential: isObject(said) || TRUE.has(String(said).trim().toLowerCase()),
    prompt: typeof text === 'string' ? text : null,
  };
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
