import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { ANYWHERE, problemsOf } from '../src/operations/problems.ts';
import { definitions } from '../src/skills/definitions.ts';

const anything = (description: string) => Type.Object({}, { additionalProperties: true, description });

const Tool = Type.Object(
  {
    name: Type.String({ description: 'The action, or the name of the operation.', examples: ['find_file'] }),
    title: Type.String({ description: 'What it does, in a few words.' }),
    description: Type.String({ description: 'When to use it, what it leaves out, and how to go on.' }),
    schema: anything('Its fields, as a JSON Schema object.'),
    example: anything('Fields and values that run as they are.'),
    tools: Type.Object(
      {
        openai: anything('As an OpenAI tool, for strict mode.'),
        anthropic: anything('As an Anthropic tool.'),
        mcp: anything('As a Model Context Protocol tool.'),
      },
      { additionalProperties: false, description: 'The same as tool definitions.' },
    ),
  },
  { $id: 'Tool', additionalProperties: false, description: 'Something that can be called.' },
);

const Skills = Type.Object(
  {
    skills: Type.Array(Type.Ref('Tool'), { description: 'The actions of POST /execute.' }),
    operations: Type.Array(Type.Ref('Tool'), { description: 'The operations, which POST /execute takes by name.' }),
  },
  { $id: 'Skills', additionalProperties: false, description: 'What POST /execute takes.' },
);

/** Schemas that documents name. */
export const skillsSchemas = [Tool, Skills];

/** `GET /skills`: what a model can be told that it may call. */
export default async function skillsRoutes(app: FastifyInstance): Promise<void> {
  const body = JSON.stringify(definitions());
  app.get(
    '/skills',
    {
      schema: {
        tags: ['skills'],
        operationId: 'skills',
        summary: 'What a model can call',
        description:
          'Each action and each operation with its purpose, its fields as JSON Schema, an example, and the same as OpenAI, Anthropic and MCP tool definitions. A call made from any of them runs through POST /execute.',
        response: {
          200: {
            description: 'The actions and operations.',
            content: { 'application/json': { schema: Type.Ref('Skills') } },
          },
          ...problemsOf(ANYWHERE),
        },
      },
    },
    async (_request, reply) => reply.type('application/json; charset=utf-8').send(body),
  );
}
