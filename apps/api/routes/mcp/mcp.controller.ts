import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Readable } from 'node:stream';
import { BodyLimit, TEXTS_TO_LABEL } from '../../edge/body/body-limits.js';
import type { FastifyReply, FastifyRequest } from '../../edge/http.js';
import type { Described } from './arguments.js';
import { routesFor } from './own-requests.js';
import { toolsOf } from './known-tools.js';

/**
 * The platform as tools of agents, by the Model Context Protocol (https://modelcontextprotocol.io) over streamable HTTP. Without
 * sessions: each request is answered alone, so any replica can answer it. Not in the OpenAPI document, of which its tools are made.
 */
@ApiExcludeController()
@Controller('mcp')
export class McpController {
  private tools: Promise<ReturnType<typeof toolsOf>> | null = null;

  @Post()
  @HttpCode(200)
  @BodyLimit(TEXTS_TO_LABEL)
  async answer(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    // Loaded by the first agent: others need neither the protocol nor its schemas.
    const { answerAgent } = await import('./server.js');
    this.tools ??= describedTools(request);
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const headers = asHeaders(request.headers);
    const asked = new Request('http://anneal/mcp', { method: 'POST', headers, body: '{}', signal: gone.signal });
    const answered = await answerAgent(asked, request.body, await this.tools, routesFor(request));
    reply.code(answered.status);
    const type = answered.headers.get('content-type');
    if (type !== null) reply.header('content-type', type);
    await reply.send(answered.body ? Readable.fromWeb(answered.body) : '');
  }
}

/** The headers that the protocol reads. */
const asHeaders = (headers: FastifyRequest['headers']): Headers =>
  new Headers(
    Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' && /^(accept|content-type|mcp-.*)$/.test(name) ? [[name, value]] : [],
    ),
  );

async function describedTools({ server }: FastifyRequest): Promise<ReturnType<typeof toolsOf>> {
  const { payload } = await server.inject({ method: 'GET', url: '/openapi.json' });
  return toolsOf(JSON.parse(payload) as Described);
}
