import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';

/** A page that shows the OpenAPI document and tries it out; all of it comes from this service. */
export default plugin(
  async function docs(app: FastifyInstance) {
    await app.register(swaggerUi, {
      routePrefix: '/docs',
      uiConfig: { docExpansion: 'list', deepLinking: true, tryItOutEnabled: true },
      staticCSP: true,
      theme: { title: 'fs-sidecar' },
    });
  },
  { name: 'docs', fastify: '5.x', dependencies: ['openapi'] },
);
