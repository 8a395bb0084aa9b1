import type { DisabledReason, WebhookEvent, WebhookSettings } from '#domain/webhook/index.js';
import type { WebhookDeliveryEvent } from '#domain/webhook-delivery/index.js';
import type { Projection } from '#log/projector/projection.js';

/** The present state of an endpoint. `id` is the endpoint's id. */
export type WebhookDocument = WebhookSettings & {
  readonly id: string;
  readonly workspaceId: string;
  readonly createdAt: string;
  /** null: it is active. */
  readonly disabled: { readonly reason: DisabledReason; readonly at: string } | null;
  /** When the secret before the last rotation expires; null: it was never rotated. */
  readonly previousSecretUntil: string | null;
  /** The first failed attempt since the last that succeeded; null: the last one did, or there was none. */
  readonly failingSince: string | null;
  readonly lastDeliveredAt: string | null;
};

export const webhooks: Projection<WebhookDocument, WebhookEvent | WebhookDeliveryEvent> = {
  name: 'webhooks',
  version: 1,
  indexes: [{ fields: ['workspaceId', 'createdAt'] }],
  key: ({ data }) => data.webhookId,
  on: {
    'webhook-created.v1': (_, { data }) => createdWebhook(data),
    'webhook-changed.v1': (webhook, { data: { webhookId: _, changedAt: __, ...settings } }) =>
      webhook && { ...webhook, ...settings },
    'webhook-secret-rotated.v1': (webhook, { data }) =>
      webhook && { ...webhook, previousSecretUntil: data.previousUntil },
    'webhook-disabled.v1': (webhook, { data: { reason, disabledAt: at } }) =>
      webhook && { ...webhook, disabled: { reason, at } },
    'webhook-enabled.v1': (webhook) => webhook && { ...webhook, disabled: null, failingSince: null },
    'webhook-deleted.v1': () => null,
    'webhook-delivery-attempted.v1': (webhook, { data: { error, attemptedAt } }) => {
      if (webhook === null) return null;
      if (error === null) return { ...webhook, failingSince: null, lastDeliveredAt: attemptedAt };
      return { ...webhook, failingSince: webhook.failingSince ?? attemptedAt };
    },
  },
};

/** An endpoint right after its creation. */
export const createdWebhook = ({
  webhookId: id,
  ...created
}: Extract<WebhookEvent, { type: 'webhook-created.v1' }>['data']): WebhookDocument => ({
  ...created,
  ...{ id, disabled: null, previousSecretUntil: null, failingSince: null, lastDeliveredAt: null },
});
