import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from './eventually.js';

export interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders;
  /** As it was sent. */
  readonly body: string;
}

export interface WebhookReceiver {
  /** The receiver's origin: on a private address and without TLS. */
  readonly origin: string;
  readonly received: readonly ReceivedWebhook[];
  /** How it answers from now on. Default: 204. */
  answer: (response: ServerResponse, webhook: ReceivedWebhook) => void;
  /** Resolves once `count` have arrived. */
  until(count: number): Promise<readonly ReceivedWebhook[]>;
  close(): Promise<void>;
}

export const answersWith =
  (status: number, headers: Record<string, string> = {}): WebhookReceiver['answer'] =>
  (response) =>
    response.writeHead(status, headers).end();

/** An endpoint of webhooks on a free port of this machine. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = Buffer.concat(await request.toArray()).toString();
      const webhook = { headers: request.headers, body };
      received.push(webhook);
      receiver.answer(response, webhook);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: WebhookReceiver = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: answersWith(204),
    until: (count) => eventually(() => received.length >= count && received),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
