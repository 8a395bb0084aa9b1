import { given } from '#test/support/given.js';
import { fold } from '../decider.js';
import { webhookDeliveryDecider, type WebhookAttempt, type WebhookDeliveryEvent } from './index.js';

const deliveryId = '00000000-0000-4000-8000-000000000000';
const ids = { deliveryId, webhookId: 'h1' };
const message = { type: 'dataset.ready', timestamp: given.now, data: { status: 'ready' } } as const;
const request = { ...ids, workspaceId: 'w1', message };
const requested: WebhookDeliveryEvent = {
  type: 'webhook-delivery-requested.v1',
  data: { ...request, requestedAt: given.now },
};
const failed: WebhookAttempt = { statusCode: 500, durationMs: 3, error: 'status' };
const delivered: WebhookAttempt = { statusCode: 204, durationMs: 3, error: null };
const attempted = (attempt: number, made: WebhookAttempt, nextAttemptAt: string | null): WebhookDeliveryEvent => ({
  type: 'webhook-delivery-attempted.v1',
  data: { ...ids, attempt, ...made, nextAttemptAt, attemptedAt: given.now },
});
const ended = (outcome: 'delivered' | 'failed' | 'cancelled'): WebhookDeliveryEvent => ({
  type: 'webhook-delivery-ended.v1',
  data: { ...ids, outcome, endedAt: given.now },
});
const record = (attempt: number, made: WebhookAttempt) =>
  ({ type: 'record-webhook-attempt', deliveryId, attempt, made }) as const;
const later = (ms: number) => new Date(Date.parse(given.now) + ms).toISOString();

describe('a webhook delivery', () => {
  it('is requested once', () => {
    const command = { type: 'request-webhook-delivery', ...request } as const;
    given(webhookDeliveryDecider, []).when(command).then([requested]);
    given(webhookDeliveryDecider, [requested]).when(command).then([]);
  });

  it('ends with the attempt that succeeds', () => {
    given(webhookDeliveryDecider, [requested])
      .when(record(1, delivered))
      .then([attempted(1, delivered, null), ended('delivered')]);
  });

  it('is attempted ten times within 76 hours, and then fails', () => {
    const pauses: number[] = [];
    const past: WebhookDeliveryEvent[] = [requested];
    for (let attempt = 1; ; attempt += 1) {
      const state = fold(webhookDeliveryDecider, past);
      const events = webhookDeliveryDecider.decide(record(attempt, failed), state, {
        now: given.now,
        newId: (name) => name,
      });
      past.push(...events);
      const [first] = events;
      if (first?.type !== 'webhook-delivery-attempted.v1') throw new Error('no attempt');
      if (first.data.nextAttemptAt === null) break;
      pauses.push((Date.parse(first.data.nextAttemptAt) - Date.parse(given.now)) / 60_000);
    }
    expect(pauses).toEqual([5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440]);
    expect(past.at(-1)).toEqual(ended('failed'));
  });

  it('waits up to a tenth longer, depending on its id', () => {
    const other = { ...ids, deliveryId: 'ffff0000-0000-4000-8000-000000000000' };
    const past: WebhookDeliveryEvent = {
      type: 'webhook-delivery-requested.v1',
      data: { ...request, ...other, requestedAt: given.now },
    };
    given(webhookDeliveryDecider, [past])
      .when({ ...record(1, failed), ...other })
      .then([
        {
          type: 'webhook-delivery-attempted.v1',
          data: { ...other, attempt: 1, ...failed, nextAttemptAt: later(5_500), attemptedAt: given.now },
        },
      ]);
  });

  it('ends at once if the receiver is gone for good, or if it is a test', () => {
    const gone: WebhookAttempt = { ...failed, statusCode: 410 };
    given(webhookDeliveryDecider, [requested])
      .when(record(1, gone))
      .then([attempted(1, gone, null), ended('failed')]);
    const test: WebhookDeliveryEvent = {
      type: 'webhook-delivery-requested.v1',
      data: { ...request, message: { ...message, type: 'webhook.test' }, requestedAt: given.now },
    };
    given(webhookDeliveryDecider, [test])
      .when(record(1, failed))
      .then([attempted(1, failed, null), ended('failed')]);
  });

  it('is cancelled while it is open', () => {
    const cancel = { type: 'cancel-webhook-delivery', deliveryId } as const;
    given(webhookDeliveryDecider, [requested])
      .when(cancel)
      .then([ended('cancelled')]);
    given(webhookDeliveryDecider, [requested, attempted(1, delivered, null), ended('delivered')])
      .when(cancel)
      .then([]);
  });

  const resend = { type: 'resend-webhook-delivery', ...ids, workspaceId: 'w1' } as const;
  const resent = (attempts: number): WebhookDeliveryEvent => ({
    type: 'webhook-delivery-resent.v1',
    data: { ...ids, attempts, resentAt: given.now },
  });

  it('is resent after its end and between attempts, and its schedule starts over', () => {
    const over = [requested, attempted(1, delivered, null), ended('delivered')];
    given(webhookDeliveryDecider, over)
      .when(resend)
      .then([resent(1)]);
    given(webhookDeliveryDecider, [requested]).when(resend).then([]);
    given(webhookDeliveryDecider, [...over, resent(1)])
      .when(record(2, failed))
      .then([attempted(2, failed, later(5_000))]);
  });

  it('is resent ten times at most', () => {
    const past = Array.from({ length: 10 }, (_, times) => [
      resent(times),
      attempted(times + 1, failed, given.now),
    ]).flat();
    given(webhookDeliveryDecider, [requested, ...past])
      .when(resend)
      .thenRefused('conflict');
  });

  it('of another workspace or endpoint is not found', () => {
    for (const other of [{ workspaceId: 'w2' }, { webhookId: 'h2' }])
      given(webhookDeliveryDecider, [requested])
        .when({ ...resend, ...other })
        .thenRefused('not_found');
  });
});
