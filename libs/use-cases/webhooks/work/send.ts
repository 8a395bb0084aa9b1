import { Webhook as Signer } from 'standardwebhooks';
import type { WebhookAttempt, WebhookMessage } from '#domain/webhook-delivery/index.js';
import { EgressRefusedError, type Egress } from '#primitives/egress/index.js';

interface Delivery {
  readonly deliveryId: string;
  readonly url: string;
  readonly message: WebhookMessage;
  /** Secrets, each of which produces a signature. */
  readonly secrets: readonly string[];
  readonly at: Date;
}

interface SendOptions {
  readonly egress: Pick<Egress, 'fetch'>;
  /** Limit for connecting and for the answer. */
  readonly timeoutMs: number;
}

/** An answer is read so far, so that its connection can be used again. */
const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Posts a message as https://www.standardwebhooks.com has it. No redirect is followed, and nothing of the answer is kept but its
 * status. @throws the signal's reason when it aborts
 */
export async function send(
  { deliveryId, url, message, secrets, at }: Delivery,
  { egress, timeoutMs }: SendOptions,
  signal: AbortSignal,
): Promise<WebhookAttempt> {
  const body = JSON.stringify(message);
  const started = performance.now();
  const attempt = (statusCode: number | null, error: WebhookAttempt['error']): WebhookAttempt => ({
    ...{ statusCode, error },
    durationMs: Math.round(performance.now() - started),
  });
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await egress.fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'anneal-webhooks',
        'webhook-id': deliveryId,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': secrets.map((secret) => new Signer(secret).sign(deliveryId, at, body)).join(' '),
      },
      body,
      signal: AbortSignal.any([signal, timeout]),
    });
    const { status } = response;
    await drain(response);
    if (status >= 300 && status < 400) return attempt(status, 'redirect');
    return attempt(status, response.ok ? null : 'status');
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) return attempt(null, 'timeout');
    return attempt(null, error instanceof EgressRefusedError ? 'address' : 'connection');
  }
}

/** The status counts, however the body ends. */
async function drain({ body }: Response): Promise<void> {
  let read = 0;
  try {
    for await (const chunk of body ?? []) if ((read += (chunk as Uint8Array).length) > MAX_ANSWER_BYTES) break;
  } catch {
    // Broken off, or too slow.
  }
}
