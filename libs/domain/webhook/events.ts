import type { EventsOf, EventTypes } from '../decider.js';

/** Types of messages to endpoints. `docs/guides/webhooks.md` lists the data of each. */
export const WEBHOOK_TYPES = [
  'dataset.ready',
  'dataset.failed',
  'training_job.completed',
  'training_job.failed',
  'training_job.cancelled',
  'evaluation.completed',
  'evaluation.failed',
  'gate.decided',
  'model.promoted',
  'model.rolled_back',
  'drift',
  'distillation.ended',
  'cascade.returned',
  'proposal.made',
  'proposal.confirmed',
  'proposal.declined',
  'proposal.expired',
  'credits.low',
  'webhook.disabled',
] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

export const DISABLED_REASONS = ['failing', 'gone', 'asked'] as const;
/** `failing`: no attempt has succeeded for days; `gone`: it answered 410; `asked`: by a member of the workspace. */
export type DisabledReason = (typeof DISABLED_REASONS)[number];

// Type aliases rather than interfaces: only those are assignable to JSON.

export type WebhookSettings = {
  readonly url: string;
  /** Always a list of types: an endpoint gets a type that a later release adds once it asks for it. */
  readonly types: readonly WebhookType[];
  readonly description: string | null;
};

/** The signing secret is derived from the installation's secret, the endpoint's id and the secret's number: no event holds it. */
export type WebhookEvent = EventsOf<{
  'webhook-created.v1': WebhookSettings & { webhookId: string; workspaceId: string; createdAt: string };
  'webhook-changed.v1': WebhookSettings & { webhookId: string; changedAt: string };
  'webhook-secret-rotated.v1': {
    webhookId: string;
    /** Number of the new secret; the first is 1. */
    secretNumber: number;
    /** Until then, deliveries are signed with the secret before as well. */
    previousUntil: string;
    rotatedAt: string;
  };
  'webhook-disabled.v1': { webhookId: string; reason: DisabledReason; disabledAt: string };
  'webhook-enabled.v1': { webhookId: string; enabledAt: string };
  'webhook-deleted.v1': { webhookId: string; deletedAt: string };
}>;

export const WEBHOOK_EVENT_TYPES: EventTypes<WebhookEvent> = {
  'webhook-created.v1': true,
  'webhook-changed.v1': true,
  'webhook-secret-rotated.v1': true,
  'webhook-disabled.v1': true,
  'webhook-enabled.v1': true,
  'webhook-deleted.v1': true,
};
