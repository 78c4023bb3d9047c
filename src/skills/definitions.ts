import type { TObject } from 'typebox';
import { MAX_INTEGER } from '../operations/fields.ts';
import { operations } from '../operations/index.ts';
import { skills } from './index.ts';

type JsonSchema = Record<string, unknown>;

/** One thing that can be called, and how the common ways of calling tools are told of it. */
export interface Definition {
  name: string;
  title: string;
  description: string;
  /** Its fields, as JSON Schema. */
  schema: JsonSchema;
  /** Fields that run as they are. */
  example: Record<string, unknown>;
  tools: {
    /** Chat Completions' form; `strict` asks for every field, and null stands for one that is left out. */
    openai: { type: 'function'; function: { name: string; description: string; parameters: JsonSchema; strict: true } };
    anthropic: { name: string; description: string; input_schema: JsonSchema };
    mcp: { name: string; title: string; description: string; inputSchema: JsonSchema; annotations: typeof READ_ONLY };
  };
}

/** Model Context Protocol, tool annotations. */
export const READ_ONLY = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

/** Every action, and every operation by name. */
export function definitions(): { skills: Definition[]; operations: Definition[] } {
  return {
    skills: skills.map(({ action, description, properties, title }) =>
      toDefinition(action, title, description, properties),
    ),
    operations: operations.map(({ description, input, name, summary }) =>
      toDefinition(name, summary, description, input),
    ),
  };
}

function toDefinition(name: string, title: string, description: string, fields: TObject): Definition {
  const schema = plain(fields);
  return {
    name,
    title,
    description,
    schema,
    example: exampleOf(fields),
    tools: {
      openai: { type: 'function', function: { name, description, parameters: strict(fields), strict: true } },
      anthropic: { name, description, input_schema: schema },
      mcp: { name, title, description, inputSchema: schema, annotations: READ_ONLY },
    },
  };
}

/** The schema as plain JSON. */
function plain(fields: TObject): JsonSchema {
  return JSON.parse(JSON.stringify(fields));
}

/** The first example of each field that has one; for what is required and has none, its name. */
function exampleOf(fields: TObject): Record<string, unknown> {
  const { properties, required = [] } = plain(fields) as {
    properties: Record<string, JsonSchema>;
    required?: string[];
  };
  const wanted = Object.entries(properties).filter(
    ([name, { examples }]) => required.includes(name) || Array.isArray(examples),
  );
  return Object.fromEntries(wanted.map(([name, { examples }]) => [name, Array.isArray(examples) ? examples[0] : name]));
}

/** Keywords that strict mode knows. */
const STRICT_KEYWORDS = ['type', 'description', 'enum', 'items'];

/**
 * The schema as strict mode wants it: every field required, null for those
 * that may be left out, and no keyword that it does not know. Defaults and
 * bounds go into the descriptions.
 */
function strict(fields: TObject): JsonSchema {
  const { properties, required = [] } = plain(fields) as {
    properties: Record<string, JsonSchema>;
    required?: string[];
  };
  const all = Object.entries(properties).map(([name, property]) => [
    name,
    strictField(property, required.includes(name)),
  ]);
  return {
    type: 'object',
    properties: Object.fromEntries(all),
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

function strictField(property: JsonSchema, isRequired: boolean): JsonSchema {
  const known = Object.fromEntries(Object.entries(property).filter(([keyword]) => STRICT_KEYWORDS.includes(keyword)));
  const { default: fallback, type } = property;
  const items = property['items'] === undefined ? {} : { items: { type: 'string' } };
  const bounds = boundsOf(property);
  if (isRequired) return { ...known, ...items, description: `${property['description'] ?? ''}${bounds}` };
  const standard = fallback === undefined ? 'Null: not given.' : `Null: the default, ${JSON.stringify(fallback)}.`;
  return {
    ...known,
    ...items,
    type: [type, 'null'],
    ...(Array.isArray(property['enum']) ? { enum: [...property['enum'], null] } : {}),
    description: `${property['description'] ?? ''}${bounds} ${standard}`,
  };
}

function boundsOf({ maximum, minimum }: JsonSchema): string {
  if (minimum === undefined) return '';
  return maximum === MAX_INTEGER ? ` At least ${minimum}.` : ` From ${minimum} to ${maximum}.`;
}
