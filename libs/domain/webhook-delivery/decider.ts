import type { CommandsOf, Decider, Env } from '../decider.js';
import { ConflictError, NotFoundError } from '../errors.js';
import {
  TEST_TYPE,
  WEBHOOK_DELIVERY_EVENT_TYPES,
  type WebhookAttempt,
  type DeliveryOutcome,
  type WebhookDeliveryEvent,
  type WebhookMessage,
} from './events.js';
import { pauseAfter } from './schedule.js';
import { evolve, type WebhookDelivery, type WebhookDeliveryState } from './state.js';

interface Owned {
  deliveryId: string;
  webhookId: string;
  workspaceId: string;
}

type WebhookDeliveryCommand = CommandsOf<{
  'request-webhook-delivery': Owned & { message: WebhookMessage };
  'record-webhook-attempt': { deliveryId: string; attempt: number; made: WebhookAttempt };
  'cancel-webhook-delivery': { deliveryId: string };
  'resend-webhook-delivery': Owned;
}>;

/** Keeps the stream within its bound: each begins ten attempts at most. */
const MAX_RESENDS = 10;
/** The receiver wants no more deliveries. */
const GONE = 410;

export const webhookDeliveryDecider: Decider<WebhookDeliveryCommand, WebhookDeliveryEvent, WebhookDeliveryState> = {
  category: 'delivery',
  eventTypes: WEBHOOK_DELIVERY_EVENT_TYPES,
  initial: { status: 'none' },
  decide,
  evolve,
};

function decide(
  command: WebhookDeliveryCommand,
  state: WebhookDeliveryState,
  env: Env,
): readonly WebhookDeliveryEvent[] {
  const { deliveryId } = command;
  if (command.type === 'request-webhook-delivery') {
    if (state.status !== 'none') return [];
    const { type: _, ...request } = command;
    return [{ type: 'webhook-delivery-requested.v1', data: { ...request, requestedAt: env.now } }];
  }
  if (state.status === 'none') throw new NotFoundError('delivery', deliveryId);
  switch (command.type) {
    case 'record-webhook-attempt':
      return state.status === 'open' && command.attempt > state.attempts ? attempted(state, command.made, env) : [];
    case 'cancel-webhook-delivery':
      return state.status === 'open' ? [ended(state, 'cancelled', env)] : [];
    case 'resend-webhook-delivery': {
      const { webhookId, workspaceId } = state.request;
      if (webhookId !== command.webhookId || workspaceId !== command.workspaceId)
        throw new NotFoundError('delivery', deliveryId);
      // The first attempt is still to come.
      if (state.status === 'open' && state.attemptsSinceBegun === 0) return [];
      if (state.resends >= MAX_RESENDS)
        throw new ConflictError(`delivery ${deliveryId} has been resent ${MAX_RESENDS} times, the maximum`);
      const { attempts } = state;
      return [{ type: 'webhook-delivery-resent.v1', data: { deliveryId, webhookId, attempts, resentAt: env.now } }];
    }
  }
}

function attempted(state: WebhookDelivery, made: WebhookAttempt, env: Env): WebhookDeliveryEvent[] {
  const { deliveryId, webhookId, message } = state.request;
  const isLast = made.error === null || made.statusCode === GONE || message.type === TEST_TYPE;
  const pause = isLast ? null : pauseAfter(state.attemptsSinceBegun + 1, deliveryId);
  const nextAttemptAt = pause === null ? null : new Date(Date.parse(env.now) + pause).toISOString();
  const ids = { deliveryId, webhookId, attempt: state.attempts + 1 };
  const event: WebhookDeliveryEvent = {
    type: 'webhook-delivery-attempted.v1',
    data: { ...ids, ...made, nextAttemptAt, attemptedAt: env.now },
  };
  if (nextAttemptAt !== null) return [event];
  return [event, ended(state, made.error === null ? 'delivered' : 'failed', env)];
}

const ended = ({ request }: WebhookDelivery, outcome: DeliveryOutcome, env: Env): WebhookDeliveryEvent => ({
  type: 'webhook-delivery-ended.v1',
  data: { deliveryId: request.deliveryId, webhookId: request.webhookId, outcome, endedAt: env.now },
});
