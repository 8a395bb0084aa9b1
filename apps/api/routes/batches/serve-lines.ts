import type { FastifyInstance } from 'fastify';
import { Agent, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { BATCH_LINE, type BatchLine, type BatchLineAnswer } from '#calls/batch-lines.js';
import type { Json } from '#domain/json.js';
import type { Bus, Subscription } from '#ports/bus/port.js';
import { UnavailableError } from '#domain/errors.js';
import type { Authenticator } from '../../edge/auth/index.js';

/**
 * Answers requests of batches: each goes through this process's own server, so that it is limited,
 * admitted, priced and recorded like the caller's own request. A pass for this process and this request replaces the
 * key.
 */
export function serveBatchLines(fastify: FastifyInstance, bus: Bus, authenticator: Authenticator): Subscription {
  const agent = new Agent({ keepAlive: true });
  const served = bus.serve(BATCH_LINE, async (body, { signal }) => {
    const line = body as unknown as BatchLine;
    const pass = authenticator.lend(line.caller, line.askedAt);
    try {
      return await send(fastify, agent, line, pass, signal);
    } finally {
      authenticator.takeBack(pass);
    }
  });
  return {
    async stop() {
      await served.stop();
      agent.destroy();
    },
  };
}

function send(
  { server }: FastifyInstance,
  agent: Agent,
  { endpoint, body, requestId }: BatchLine,
  pass: string,
  signal: AbortSignal,
): Promise<BatchLineAnswer> {
  if (!server.listening) throw new UnavailableError('this server does not listen yet');
  const { address, port } = server.address() as AddressInfo;
  const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address;
  const headers = {
    ...{ authorization: `Bearer ${pass}`, 'content-type': 'application/json', 'x-request-id': requestId },
  };
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, agent, method: 'POST', path: endpoint, headers, signal }, (response) => {
      answerOf(response).then(resolve, reject);
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}

/** @throws when the answer breaks off, or is not valid JSON */
async function answerOf(response: IncomingMessage): Promise<BatchLineAnswer> {
  const content = await text(response);
  const retryAfter = Number(response.headers['retry-after'] ?? NaN);
  return {
    status: response.statusCode ?? 500,
    body: /json/.test(response.headers['content-type'] ?? '') ? (JSON.parse(content) as Json) : content,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
  };
}
