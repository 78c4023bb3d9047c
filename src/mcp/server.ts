import type { Server } from '@modelcontextprotocol/server';
import { VERSION } from '../version.ts';
import { toModelText } from './call.ts';
import { loadSdk } from './sdk.ts';
import { type McpTool, toTools } from './tools.ts';

/** What an operation gives for a tool call: for the model, and as data. */
export interface ToolResult {
  content: string;
  result: Record<string, unknown>;
}

/** Runs an operation by name. Throws what the operation throws. */
export type CallTool = (name: string, input: unknown, signal: AbortSignal) => Promise<ToolResult>;

const INSTRUCTIONS =
  'Looks at a workspace, read-only. Paths are virtual: / is the top of the workspace. Use ls to explore, find for names, glob for paths, grep for content, read for files. When a result says that it is truncated, narrow the request or go on as it says.';

/** Made when the protocol is first spoken, and kept. */
let made: readonly McpTool[] | undefined;

/** A Model Context Protocol server with the operations as its tools; it keeps no state of its own. */
export function toMcpServer(call: CallTool): Server {
  const sdk = loadSdk();
  made ??= toTools();
  const tools = [...made];
  const names = tools.map(({ name }) => name);
  const server = new sdk.Server(
    { name: 'fs-sidecar', title: 'Workspace', version: VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', async () => ({ tools }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    if (!names.includes(params.name)) {
      throw new sdk.ProtocolError(
        sdk.ProtocolErrorCode.InvalidParams,
        `There is no tool '${params.name}'. The tools are ${names.join(', ')}.`,
      );
    }
    try {
      const { content, result } = await call(params.name, params.arguments ?? {}, mcpReq.signal);
      return { content: [{ type: 'text' as const, text: content }], structuredContent: result };
    } catch (error) {
      // What a model can mend is for the model to read.
      return { content: [{ type: 'text' as const, text: toModelText(error) }], isError: true };
    }
  });
  return server;
}
