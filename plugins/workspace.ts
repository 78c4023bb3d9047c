import { setMaxListeners } from 'node:events';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import type { ServerLimits } from '../src/pool/asked.ts';
import type { Pool } from '../src/pool/pool.ts';
import type { Job } from '../src/pool/protocol.ts';
import type { Reply } from '../src/pool/reply.ts';
import { CallerGone } from '../src/problem.ts';

export interface WorkspaceOptions extends ServerLimits {
  pool: Pool;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Aborted when the caller goes away; made when the first job wants to know. */
    gone: AbortSignal | null;
  }
  interface FastifyInstance {
    limits: ServerLimits;
    /**
     * Runs a job on the workspace. Resolves when the reply begins; the job ends
     * when its caller goes away.
     */
    perform(job: Job, isSearch: boolean, request: FastifyRequest, reply: FastifyReply): Promise<Reply>;
  }
}

/** The workspace as routes see it: something that performs jobs, within its limits. */
export default plugin(
  async function workspace(app: FastifyInstance, { bounds, pool, maxResults, timeoutMs }: WorkspaceOptions) {
    app.decorateRequest('gone', null);
    app.decorate('limits', { bounds, maxResults, timeoutMs });
    app.decorate('perform', async (job: Job, isSearch: boolean, request: FastifyRequest, reply: FastifyReply) => {
      request.gone ??= whenGone(reply);
      const performed = await pool.perform(job, isSearch, request.gone);
      void performed.summary.then(
        (summary) => {
          request.summary = summary;
        },
        () => {},
      );
      return performed;
    });
    app.addHook('onClose', () => pool.close());
  },
  { name: 'workspace', fastify: '5.x', dependencies: ['requests'] },
);

/** One for all: it tells of no place in the code, and a stack for each reply would cost more than what it is for. */
const GONE = new CallerGone();

/** One signal for all jobs of a request: it may have a hundred, each a call of a tool. */
function whenGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  // Each of them listens until it has ended.
  setMaxListeners(0, gone.signal);
  if (raw.destroyed) gone.abort(GONE);
  else raw.once('close', () => gone.abort(GONE));
  return gone.signal;
}
