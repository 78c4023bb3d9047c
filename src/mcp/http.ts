import { isDeeper, type Json } from '../text/json/index.ts';
import { loadSdk } from './sdk.ts';
import { type CallTool, toMcpServer } from './server.ts';

/**
 * Answers one request of Streamable HTTP, with JSON and never with a session:
 * clients of the 2025 revisions, which begin with `initialize`, and of the
 * later ones alike. The one answer that is a stream, to who wants to listen for
 * changes, ends at once, since no changes are told.
 */
export async function answerMcp(request: Request, call: CallTool, maxDepth: number): Promise<Response> {
  const { createMcpHandler, isLegacyRequest, WebStandardStreamableHTTPServerTransport } = loadSdk();
  const parsedBody = await jsonOf(request);
  if (parsedBody !== undefined && isDeeper(parsedBody, maxDepth)) return refuseDepth(maxDepth);
  const parsed = parsedBody === undefined ? {} : { parsedBody };
  if (!(await isLegacyRequest(request, parsedBody))) {
    return createMcpHandler(() => toMcpServer(call), { legacy: 'reject' }).fetch(request, parsed);
  }
  const server = toMcpServer(call);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    const response = await transport.handleRequest(request, parsed);
    return new Response(await response.arrayBuffer(), response);
  } finally {
    await server.close();
  }
}

/** What the body says, so that what is looked at is what is answered; undefined when it is no JSON. */
async function jsonOf(request: Request): Promise<Json | undefined> {
  try {
    return JSON.parse(await request.clone().text());
  } catch {
    return undefined;
  }
}

function refuseDepth(maxDepth: number): Response {
  const { INVALID_REQUEST } = loadSdk();
  const message = `Invalid Request: the JSON is nested more than ${maxDepth} levels deep`;
  return Response.json({ jsonrpc: '2.0', id: null, error: { code: INVALID_REQUEST, message } }, { status: 400 });
}
