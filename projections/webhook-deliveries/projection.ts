import type {
  WebhookAttempt,
  DeliveryOutcome,
  WebhookDeliveryEvent,
  WebhookMessage,
} from '#domain/webhook-delivery/index.js';
import type { Projection } from '#log/projector/projection.js';

/** The present state of a message to an endpoint. `id` is the delivery's id. */
export type WebhookDeliveryDocument = {
  readonly id: string;
  readonly webhookId: string;
  readonly workspaceId: string;
  readonly message: WebhookMessage;
  readonly status: 'pending' | DeliveryOutcome;
  readonly createdAt: string;
  /** The earliest time of the next attempt; null once it has ended. */
  readonly nextAttemptAt: string | null;
  /** Oldest first. */
  readonly attempts: readonly (WebhookAttempt & { readonly attempt: number; readonly at: string })[];
};

export const webhookDeliveries: Projection<WebhookDeliveryDocument, WebhookDeliveryEvent> = {
  name: 'webhook-deliveries',
  version: 1,
  indexes: [{ fields: ['webhookId', 'createdAt'] }, { fields: ['webhookId', 'status', 'createdAt'] }],
  key: ({ data }) => data.deliveryId,
  on: {
    'webhook-delivery-requested.v1': (_, { data }) => requestedDelivery(data),
    'webhook-delivery-attempted.v1': (delivery, { data }) => {
      const { attempt, statusCode, durationMs, error, nextAttemptAt, attemptedAt: at } = data;
      const made = { attempt, at, statusCode, durationMs, error };
      return delivery && { ...delivery, nextAttemptAt, attempts: [...delivery.attempts, made] };
    },
    'webhook-delivery-resent.v1': (delivery, { data }) =>
      delivery && { ...delivery, status: 'pending', nextAttemptAt: data.resentAt },
    'webhook-delivery-ended.v1': (delivery, { data }) =>
      delivery && { ...delivery, status: data.outcome, nextAttemptAt: null },
  },
};

/** A delivery right after its request. */
export const requestedDelivery = ({
  deliveryId: id,
  requestedAt: createdAt,
  ...request
}: Extract<WebhookDeliveryEvent, { type: 'webhook-delivery-requested.v1' }>['data']): WebhookDeliveryDocument => ({
  ...request,
  ...{ id, status: 'pending', createdAt, nextAttemptAt: createdAt, attempts: [] },
});
