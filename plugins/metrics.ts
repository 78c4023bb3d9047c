import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { Type } from 'typebox';
import { ANYWHERE, problemsOf } from '../src/operations/problems.ts';
import type { Pool } from '../src/pool/pool.ts';

export interface MetricsOptions {
  pool: Pool;
  containment: string;
  landlock: string;
  version: string;
}

const BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30];
/** What a request that no route takes is counted under: a caller's paths are no labels. */
const NO_ROUTE = 'none';
const MISSPELT = / Nan$/gm;

/** Counts what the service does, and gives it to Prometheus at `/metrics`. */
export default plugin(
  async function metrics(app: FastifyInstance, { containment, landlock, pool, version }: MetricsOptions) {
    const registry = new Registry();
    const meters = toMeters(registry, pool);
    collectDefaultMetrics({ register: registry });
    new Gauge({
      name: 'fs_sidecar_info',
      help: 'How the service runs; always 1.',
      labelNames: ['version', 'containment', 'landlock'],
      registers: [registry],
    }).set({ version, containment, landlock }, 1);

    app.addHook('onRequest', async (request, reply) => {
      reply.raw.once('close', () => observe(meters, request, reply));
    });
    app.get(
      '/metrics',
      {
        schema: {
          tags: ['service'],
          operationId: 'metrics',
          summary: 'What the service has done, for Prometheus',
          description:
            'Requests, failures, results, bytes and times by route, searches under way, and the state of the process, in the text format that Prometheus scrapes.',
          response: {
            200: {
              description: 'The metrics.',
              content: { 'text/plain': { schema: Type.String({ description: 'The metrics, a sample a line.' }) } },
            },
            ...problemsOf(ANYWHERE),
          },
        },
      },
      async (_request, reply) => reply.type(registry.contentType).send(spellNaN(await registry.metrics())),
    );
  },
  { name: 'metrics', fastify: '5.x', dependencies: ['requests'] },
);

/** prom-client 15 writes `Nan`, which the format does not know. */
function spellNaN(metrics: string): string {
  return metrics.replace(MISSPELT, ' NaN');
}

function toMeters(registry: Registry, pool: Pool) {
  const registers = [registry];
  const searches = { registers, help: 'Searches under way.', name: 'fs_sidecar_searches_running' };
  new Gauge({
    ...searches,
    collect() {
      this.set(pool.searches.taken);
    },
  });
  new Gauge({
    name: 'fs_sidecar_searches_waiting',
    help: 'Searches that wait for a place.',
    registers,
    collect() {
      this.set(pool.searches.waiting);
    },
  });
  return {
    requests: new Counter({
      name: 'fs_sidecar_requests_total',
      help: 'Requests, by route and status.',
      labelNames: ['route', 'status'],
      registers,
    }),
    seconds: new Histogram({
      name: 'fs_sidecar_request_duration_seconds',
      help: 'How long requests take, by route.',
      labelNames: ['route'],
      buckets: BUCKETS,
      registers,
    }),
    records: new Counter({
      name: 'fs_sidecar_records_total',
      help: 'Results given, by route.',
      labelNames: ['route'],
      registers,
    }),
    bytes: new Counter({
      name: 'fs_sidecar_reply_bytes_total',
      help: 'Bytes of replies made from the workspace, by route.',
      labelNames: ['route'],
      registers,
    }),
    truncated: new Counter({
      name: 'fs_sidecar_truncated_total',
      help: 'Replies that were cut, by what cut them.',
      labelNames: ['by'],
      registers,
    }),
    problems: new Counter({
      name: 'fs_sidecar_problems_total',
      help: 'Failures by their code; PATH_BLOCKED and PATH_OUTSIDE_ROOT are what was kept in.',
      labelNames: ['code'],
      registers,
    }),
  };
}

function observe(meters: ReturnType<typeof toMeters>, request: FastifyRequest, reply: FastifyReply): void {
  const route = request.routeOptions.url ?? NO_ROUTE;
  const { failure, summary } = request;
  meters.requests.inc({ route, status: reply.raw.statusCode });
  meters.seconds.observe({ route }, reply.elapsedTime / 1000);
  if (failure !== null) meters.problems.inc({ code: failure.code });
  if (summary === null) return;
  meters.records.inc({ route }, summary.records);
  meters.bytes.inc({ route }, summary.bytes);
  if (summary.truncatedBy !== undefined) meters.truncated.inc({ by: summary.truncatedBy });
}
