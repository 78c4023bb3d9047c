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
  async function workspace(app: FastifyInstance, { pool, maxResults, timeoutMs }: WorkspaceOptions) {
    app.decorate('limits', { maxResults, timeoutMs });
    app.decorate('perform', async (job: Job, isSearch: boolean, request: FastifyRequest, reply: FastifyReply) => {
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort(new CallerGone()));
      const performed = await pool.perform(job, isSearch, gone.signal);
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
