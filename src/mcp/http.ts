import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { type CallTool, toMcpServer } from './server.ts';

/**
 * Answers one request of Streamable HTTP, with JSON and never with a session:
 * clients of the 2025 revisions, which begin with `initialize`, and of the
 * later ones alike. The one answer that is a stream, to who wants to listen for
 * changes, ends at once, since no changes are told.
 */
export async function answerMcp(request: Request, call: CallTool): Promise<Response> {
  if (!(await isLegacyRequest(request))) {
    return createMcpHandler(() => toMcpServer(call), { legacy: 'reject' }).fetch(request);
  }
  const server = toMcpServer(call);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    const response = await transport.handleRequest(request);
    return new Response(await response.arrayBuffer(), response);
  } finally {
    await server.close();
  }
}
