import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
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

/**
 * A page that shows the OpenAPI document and tries it out; all of it comes from
 * this service. It is loaded when it is first asked for.
 */
export default plugin(
  async function docs(app: FastifyInstance) {
    let page: Promise<FastifyInstance> | undefined;
    const answer = async (request: FastifyRequest, reply: FastifyReply) => {
      // What is tried out is tried on this service, under whatever address it has.
      page ??= pageOf({ ...app.swagger(), servers: [{ url: '/', description: 'This service' }] });
      const { headers, rawPayload, statusCode } = await (await page).inject({
        url: request.url,
        headers: { 'if-none-match': request.headers['if-none-match'] ?? '' },
      });
      if (statusCode === 404) throw new RouteNotFound(request.url.slice(0, 100));
      return reply.code(statusCode).headers(headers).send(rawPayload);
    };
    for (const url of ['/docs', '/docs/*']) app.get(url, { schema: { hide: true } }, answer);
    app.addHook('onClose', async () => (await page)?.close());
  },
  { name: 'docs', fastify: '5.x', dependencies: ['openapi'] },
);

/** The page as a service of its own, which is asked without a socket. */
async function pageOf(document: object): Promise<FastifyInstance> {
  const [{ default: Fastify }, { default: swagger }, { default: swaggerUi }] = await Promise.all([
    import('fastify'),
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ]);
  const page = Fastify();
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
  return page;
}
