import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyRequest, type FastifyServerOptions, LogController } from 'fastify';
import type { TObject } from 'typebox';
import auth, { type AuthOptions } from '../plugins/auth.ts';
import connections, { refuseConnection } from '../plugins/connections.ts';
import docs from '../plugins/docs.ts';
import mcp, { mcpSchemas } from '../plugins/mcp.ts';
import metrics from '../plugins/metrics.ts';
import openapi from '../plugins/openapi.ts';
import problem, { sendProblem } from '../plugins/problem.ts';
import requests, { follow } from '../plugins/requests.ts';
import workspace, { type WorkspaceOptions } from '../plugins/workspace.ts';
import executeRoutes, { executeSchemas } from '../routes/execute.ts';
import healthRoutes, { type HealthOptions, healthSchemas } from '../routes/health.ts';
import operationRoutes from '../routes/operations.ts';
import rawRoutes from '../routes/raw.ts';
import skillsRoutes, { skillsSchemas } from '../routes/skills.ts';
import { checkInput } from './operations/input.ts';
import { VERSION } from './version.ts';

export interface AppOptions extends AuthOptions, WorkspaceOptions, HealthOptions {
  logger: FastifyServerOptions['logger'];
}

const KEEP_ALIVE_TIMEOUT = 72_000;
const CONNECTIONS_CHECK = 1_000;
/** An id that goes into the log as it came may hold nothing that a log could be forged with. */
const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** The service, assembled and not yet listening. The one place that knows all plugins and routes. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const app = Fastify({
    logger: options.logger ?? false,
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    genReqId: requestIdOf,
    bodyLimit: options.bounds.bodyBytes,
    requestTimeout: options.bounds.requestMs,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
    http: {
      maxHeaderSize: options.bounds.headerBytes,
      headersTimeout: options.bounds.headersMs,
      connectionsCheckingInterval: CONNECTIONS_CHECK,
      // plugins/auth.ts does, with a problem.
      requireHostHeader: false,
    },
    routerOptions: { ignoreTrailingSlash: false },
    clientErrorHandler: (error, socket) => refuseConnection(error, socket, app.log),
    // What no hook sees: a URL that cannot be decoded.
    frameworkErrors: (error, request, reply) => {
      follow(request as FastifyRequest, reply);
      return sendProblem(error, request as FastifyRequest, reply);
    },
    schemaController: {
      compilersFactory: {
        // The default serializer drops what a schema does not name, and on a union it names the first branch that fits.
        buildSerializer: () => () => JSON.stringify,
      },
    },
  });
  // Inputs are checked in one place, whichever way they come. Named schemas are added
  // here, since a scope that adds one of its own forgets this compiler.
  app.setValidatorCompiler<TObject>(
    ({ httpPart, schema }) =>
      (data) =>
        // Headers are documented and not checked: a proxy may add what it likes.
        httpPart === 'headers' ? { value: data } : check(schema, data),
  );
  for (const schema of [...executeSchemas, ...healthSchemas, ...mcpSchemas, ...skillsSchemas]) app.addSchema(schema);
  await app.register(connections);
  await app.register(requests);
  await app.register(problem);
  await app.register(auth, options);
  await app.register(workspace, options);
  await app.register(openapi, { version: VERSION });
  await app.register(docs);
  await app.register(metrics, { ...options, version: VERSION });
  await app.register(healthRoutes, options);
  await app.register(operationRoutes);
  await app.register(rawRoutes);
  await app.register(executeRoutes);
  await app.register(skillsRoutes);
  await app.register(mcp);
  return app;
}

function check(schema: TObject, data: unknown): { value: unknown } | { error: Error } {
  try {
    return { value: checkInput(schema, data, 'query').input };
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }
}

function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}
