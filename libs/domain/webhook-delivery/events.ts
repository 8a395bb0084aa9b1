import type { EventsOf, EventTypes } from '../decider.js';
import type { JsonObject } from '../json.js';
import type { WebhookType } from '../webhook/index.js';

/** The type of a delivery that a member requests, to test an endpoint. */
export const TEST_TYPE = 'webhook.test';

// Type aliases rather than interfaces: only those are assignable to JSON.

/** The body of a delivery. Ids and states, no content: the log keeps it. */
export type WebhookMessage = {
  readonly type: WebhookType | typeof TEST_TYPE;
  /** When it happened. */
  readonly timestamp: string;
  readonly data: JsonObject;
};

/**
 * Why an attempt failed. `status`: an answer other than 2xx; `redirect`: an answer that points elsewhere; `timeout`: no answer in
 * time; `connection`: the endpoint could not be reached; `address`: the address is not one that deliveries go to.
 */
export type AttemptError = 'status' | 'redirect' | 'timeout' | 'connection' | 'address';

export type WebhookAttempt = {
  /** null: there was no answer. */
  readonly statusCode: number | null;
  readonly durationMs: number;
  /** null: it was delivered. */
  readonly error: AttemptError | null;
};

/** `cancelled`: the endpoint was disabled or deleted before. */
export type DeliveryOutcome = 'delivered' | 'failed' | 'cancelled';

/** A message to one endpoint. Its id is the `webhook-id` of every attempt. */
export type WebhookDeliveryEvent = EventsOf<{
  'webhook-delivery-requested.v1': {
    deliveryId: string;
    webhookId: string;
    workspaceId: string;
    message: WebhookMessage;
    requestedAt: string;
  };
  'webhook-delivery-attempted.v1': WebhookAttempt & {
    deliveryId: string;
    webhookId: string;
    /** From 1. */
    attempt: number;
    /** null: no further attempt. */
    nextAttemptAt: string | null;
    attemptedAt: string;
  };
  /** Attempts restart at once. `attempts`: those made before. */
  'webhook-delivery-resent.v1': { deliveryId: string; webhookId: string; attempts: number; resentAt: string };
  'webhook-delivery-ended.v1': { deliveryId: string; webhookId: string; outcome: DeliveryOutcome; endedAt: string };
}>;

export const WEBHOOK_DELIVERY_EVENT_TYPES: EventTypes<WebhookDeliveryEvent> = {
  'webhook-delivery-requested.v1': true,
  'webhook-delivery-attempted.v1': true,
  'webhook-delivery-resent.v1': true,
  'webhook-delivery-ended.v1': true,
};
