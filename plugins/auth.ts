import type { IncomingMessage } from 'node:http';
import bearerAuth from '@fastify/bearer-auth';
import cors from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import { HostForbidden, InputInvalid, Unauthorized } from '../src/errors.ts';

export interface AuthOptions {
  token: string | undefined;
  /** Host names to accept besides the local ones, in lower case. */
  allowHosts: readonly string[];
  allowOrigins: readonly string[];
}

const HEALTH = new Set(['/healthz', '/livez', '/readyz']);
const LOCAL = new Set(['localhost', '127.0.0.1', '[::1]']);
/** RFC 3986, sections 3.2.2 and 3.2.3; RFC 9112, section 3.2, has it empty where the URL has no host. */
const HOST = /^(?:\[[\w.:~!$&'()*+,;=%-]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;
const PORT = /:\d*$/;

/**
 * Lets in who carries the token; without a token, who names this machine: a web
 * page that reaches a local port (by DNS rebinding, or from another origin)
 * does not. Health routes need no token and no particular Host.
 */
export default plugin(
  async function auth(app: FastifyInstance, { token, allowHosts, allowOrigins }: AuthOptions) {
    app.addHook('onRequest', async (request, reply) => {
      requireHost(request, reply, token === undefined && !isHealth(request));
    });
    if (allowOrigins.length > 0) await app.register(cors, { origin: [...allowOrigins], methods: ['GET', 'POST'] });
    if (token === undefined) {
      const guard = new Guard(allowHosts, allowOrigins);
      app.addHook('onRequest', async (request) => guard.check(request));
      return;
    }
    await app.register(bearerAuth, {
      keys: new Set([token]),
      addHook: false,
      // The scheme's case does not matter (RFC 6749, section 5.1). A refusal has the request's own log line.
      specCompliance: 'rfc6749',
      verifyErrorLogLevel: 'debug',
    });
    app.addHook('onRequest', (request, reply, done) => {
      if (isHealth(request)) done();
      else
        app.verifyBearerAuth?.(request, reply, (error) => done(error === undefined ? undefined : new Unauthorized()));
    });
  },
  { name: 'auth', fastify: '5.x', dependencies: ['requests', 'problem'] },
);

/** Node would refuse what lacks it, too, but with an empty reply and without a word in the log. */
function requireHost({ raw }: FastifyRequest, reply: FastifyReply, isGuarded: boolean): void {
  const fault = faultOfHost(raw, isGuarded);
  if (fault === undefined) return;
  // What follows may be hidden from whoever passed this on (RFC 9112, section 11.2).
  reply.header('connection', 'close');
  throw new InputInvalid(fault);
}

/** Why a request is refused with 400 (RFC 9112, section 3.2): the guard has an answer of its own, 403. */
function faultOfHost(raw: IncomingMessage, isGuarded: boolean): string | undefined {
  const { host } = raw.headers;
  if (host === undefined) {
    return raw.httpVersion === '1.1' ? 'The request has no Host header, which HTTP/1.1 requires.' : undefined;
  }
  if (isGuarded) return undefined;
  if (hostsOf(raw) > 1) return 'The request has more than one Host header. Send one.';
  return HOST.test(host)
    ? undefined
    : 'The Host header is not a name or an address, and a port if any. Send one that is.';
}

/** How many Host headers there are: Node keeps the first. */
function hostsOf({ rawHeaders }: IncomingMessage): number {
  return rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length;
}

function isHealth(request: FastifyRequest): boolean {
  return HEALTH.has(request.routeOptions.url ?? '');
}

class Guard {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;

  constructor(hosts: readonly string[], origins: readonly string[]) {
    this.#hosts = new Set([...LOCAL, ...hosts]);
    this.#origins = new Set(origins);
  }

  check(request: FastifyRequest): void {
    if (!isHealth(request)) this.#checkHost(request);
    const { origin } = request.headers;
    if (origin !== undefined && !this.#isOwn(origin, request) && !this.#origins.has(origin)) {
      throw new HostForbidden('Requests from web pages of other origins are refused.');
    }
    if (request.headers['sec-fetch-site'] === 'cross-site' && !this.#origins.has(origin ?? '')) {
      throw new HostForbidden('Requests from web pages of other sites are refused.');
    }
  }

  #checkHost(request: FastifyRequest): void {
    const { host } = request.headers;
    if (hostsOf(request.raw) !== 1 || host === undefined || !this.#hosts.has(nameOf(host))) {
      throw new HostForbidden(
        'The Host header names neither this machine nor a host that is allowed. Send requests to 127.0.0.1 or localhost.',
      );
    }
  }

  /** Whether the page came from this service: same scheme, name and port. */
  #isOwn(origin: string, request: FastifyRequest): boolean {
    const { host } = request.headers;
    return (
      host !== undefined && this.#hosts.has(nameOf(host)) && origin.toLowerCase() === `http://${host.toLowerCase()}`
    );
  }
}

function nameOf(host: string): string {
  return host.toLowerCase().replace(PORT, '');
}
