import { createRequire } from 'node:module';
import swagger from '@fastify/swagger';
import type SwaggerUi from '@fastify/swagger-ui';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import { RouteNotFound } from '../src/errors.ts';

/** All that the page needs comes from this service; its own styles stand in its elements. */
const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** What a reply says of its own connection and time, and not of the page. */
const OWN_HEADERS = new Set(['connection', 'keep-alive', 'transfer-encoding', 'date']);

/**
 * A page that shows the OpenAPI document and tries it out; all of it comes from
 * this service. It is loaded when it is first asked for.
 */
export default plugin(
  async function docs(app: FastifyInstance) {
    let page: Promise<FastifyInstance> | undefined;
    const load = async () => {
      // What is tried out is tried on this service, under whatever address it has.
      page ??= pageOf({ ...app.swagger(), servers: [{ url: '/', description: 'This service' }] });
      return page.catch((error) => {
        page = undefined;
        throw error;
      });
    };
    const answer = async (request: FastifyRequest, reply: FastifyReply) => {
      const { headers, rawPayload, statusCode } = await (await load()).inject({
        url: request.url,
        headers: { 'if-none-match': request.headers['if-none-match'] ?? '' },
      });
      if (statusCode === 404) throw new RouteNotFound(request.url.slice(0, 100));
      const own = Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name));
      return reply.code(statusCode).headers(Object.fromEntries(own)).send(rawPayload);
    };
    for (const url of ['/docs', '/docs/*']) app.get(url, { schema: { hide: true } }, answer);
    app.addHook('onClose', async () => {
      // One that failed to load has nothing to close.
      await page?.then((loaded) => loaded.close()).catch(() => {});
    });
  },
  { name: 'docs', fastify: '5.x', dependencies: ['openapi'] },
);

/** The page as a service of its own, which is asked without a socket. */
async function pageOf(document: object): Promise<FastifyInstance> {
  // Not imported: an import that failed once, for want of a descriptor, fails for ever.
  const swaggerUi: typeof SwaggerUi = createRequire(import.meta.url)('@fastify/swagger-ui');
  const page = Fastify();
  try {
    await fill(page, swaggerUi, document);
    return page;
  } catch (error) {
    // What failed first is told, whatever fails after it.
    await page.close().catch(() => {});
    throw error;
  }
}

async function fill(page: FastifyInstance, swaggerUi: typeof SwaggerUi, document: object): Promise<void> {
  await page.register(swagger, { mode: 'static', specification: { document: document as never } });
  await page.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: {
      // Without a bar to load other documents from.
      layout: 'BaseLayout',
      docExpansion: 'list',
      deepLinking: true,
      tryItOutEnabled: true,
      // Else it would ask a service on the internet whether the document is valid.
      validatorUrl: null,
    },
    staticCSP: CSP,
    theme: { title: 'fs-sidecar' },
  });
  await page.ready();
}
