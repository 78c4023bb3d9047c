import { replySchema, Skipped } from '../operations/documents.ts';
import { operations } from '../operations/index.ts';
import type { Operation } from '../operations/operation.ts';
import { definitions } from '../skills/definitions.ts';

type JsonSchema = { type: 'object'; [keyword: string]: unknown };

/** A tool as Model Context Protocol lists it. */
export interface McpTool {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonSchema;
  outputSchema: JsonSchema;
  annotations: Record<string, boolean>;
}

/** The operations as tools. */
export function toTools(): McpTool[] {
  return definitions().operations.map(({ tools }, at) => ({
    ...tools.mcp,
    inputSchema: { ...tools.mcp.inputSchema, type: 'object' },
    outputSchema: outputSchemaOf(operations[at] as Operation),
  }));
}

/** The schema of an operation's reply, whole in itself. */
function outputSchemaOf(operation: Operation): JsonSchema {
  const named = [Skipped, operation.record].map((schema) => JSON.parse(JSON.stringify(schema)));
  const reply = JSON.stringify(replySchema(operation)).replaceAll(/"\$ref":"(\w+)"/g, '"$ref":"#/$defs/$1"');
  const { $id: _, ...schema } = JSON.parse(reply);
  const used = named.filter(({ $id }) => reply.includes(`#/$defs/${$id}`));
  return { ...schema, $defs: Object.fromEntries(used.map(({ $id, ...rest }) => [$id, rest])) };
}
