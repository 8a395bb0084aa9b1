import type { WebhookDeliveryDocument } from '#projections/webhook-deliveries/projection.js';
import type { WebhookDocument } from '#projections/webhooks/projection.js';
import type { WebhookDeliveryRecord, WebhookRecord } from './dto.js';

export const webhookRecord = (webhook: WebhookDocument): WebhookRecord => ({
  id: webhook.id,
  url: webhook.url,
  types: webhook.types,
  description: webhook.description,
  enabled: webhook.disabled === null,
  disabled_reason: webhook.disabled?.reason ?? null,
  disabled_at: webhook.disabled?.at ?? null,
  failing_since: webhook.failingSince,
  last_delivered_at: webhook.lastDeliveredAt,
  previous_secret_until: webhook.previousSecretUntil,
  created_at: webhook.createdAt,
});

export const deliveryRecord = (delivery: WebhookDeliveryDocument): WebhookDeliveryRecord => ({
  id: delivery.id,
  ...delivery.message,
  status: delivery.status,
  created_at: delivery.createdAt,
  next_attempt_at: delivery.nextAttemptAt,
  attempts: delivery.attempts.map(({ attempt, at, statusCode, durationMs, error }) => ({
    ...{ attempt, at, error },
    status_code: statusCode,
    duration_ms: durationMs,
  })),
});
