import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { problemsOf, TO_ANYONE } from '../src/operations/problems.ts';
import { oneOf } from '../src/operations/schema.ts';

export interface HealthOptions {
  /** Why the workspace cannot be read; undefined when it can. */
  trouble: () => string | undefined;
  containment: string;
  /** `abi` and Landlock's version, or `off`. */
  landlock: string;
}

const Health = Type.Object(
  {
    status: oneOf(['ok'], { description: 'Always `ok`.' }),
  },
  { $id: 'Health', additionalProperties: false, description: 'The process lives.' },
);

const Readiness = Type.Object(
  {
    status: oneOf(['ready', 'unready'], { description: '`ready` with 200, `unready` with 503.' }),
    containment: oneOf(['strict', 'best-effort'], {
      description:
        '`strict`: no change of names during a request leads out of the workspace. `best-effort`: the system cannot promise that.',
    }),
    landlock: Type.String({
      description:
        "Whether the kernel, too, denies the service everything outside: `abi` and Landlock's version, or `off`.",
      examples: ['abi 7'],
    }),
    reason: Type.Optional(Type.String({ description: 'Why it is not ready.' })),
  },
  { $id: 'Readiness', additionalProperties: false, description: 'Whether the service can do its work.' },
);

/** Schemas that documents name. */
export const healthSchemas = [Health, Readiness];

const json = (id: string, description: string) => ({
  description,
  content: { 'application/json': { schema: Type.Ref(id) } },
});

/** `GET /healthz`, `/livez` and `/readyz`, for whoever keeps the service running. */
export default async function healthRoutes(
  app: FastifyInstance,
  { containment, landlock, trouble }: HealthOptions,
): Promise<void> {
  for (const name of ['healthz', 'livez']) {
    app.get(
      `/${name}`,
      {
        schema: {
          tags: ['service'],
          operationId: name,
          summary: 'Whether the process lives',
          description:
            'Answers as long as the process can answer, whatever the workspace is like: restart the service when it does not. It wants no token.',
          security: [],
          response: { 200: json('Health', 'The process lives.'), ...problemsOf(TO_ANYONE) },
        },
      },
      async () => ({ status: 'ok' }),
    );
  }
  app.get(
    '/readyz',
    {
      schema: {
        tags: ['service'],
        operationId: 'readyz',
        summary: 'Whether the workspace can be read',
        description:
          'Whether requests can be answered: send none while it is 503. It says, too, how the workspace is kept apart from the rest of the machine. It wants no token.',
        security: [],
        response: {
          200: json('Readiness', 'The workspace can be read.'),
          503: json('Readiness', 'The workspace cannot be read, no worker thread is ready, or the service is ending.'),
          ...problemsOf(TO_ANYONE),
        },
      },
    },
    async (_request, reply) => {
      const reason = trouble();
      if (reason === undefined) return { status: 'ready', containment, landlock };
      return reply.code(503).send({ status: 'unready', containment, landlock, reason });
    },
  );
}
