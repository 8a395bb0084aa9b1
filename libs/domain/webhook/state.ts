import type { WebhookEvent, WebhookSettings } from './events.js';

export type WebhookState =
  { readonly status: 'none' } | ({ readonly status: 'active' | 'disabled' | 'deleted' } & Webhook);

export interface Webhook {
  readonly webhookId: string;
  readonly workspaceId: string;
  readonly settings: WebhookSettings;
  readonly createdAt: string;
  /** Number of the secret in use. */
  readonly secretNumber: number;
  /** When the previous secret expires; null: there is none. */
  readonly previousUntil: string | null;
  /** Number of events in the stream. */
  readonly eventCount: number;
}

export function evolve(before: WebhookState, event: WebhookEvent): WebhookState {
  if (event.type === 'webhook-created.v1') {
    const { webhookId, workspaceId, createdAt, ...settings } = event.data;
    const secret = { secretNumber: 1, previousUntil: null };
    return { status: 'active', webhookId, workspaceId, settings, createdAt, ...secret, eventCount: 1 };
  }
  if (before.status === 'none') return before;
  const state = { ...before, eventCount: before.eventCount + 1 };
  switch (event.type) {
    case 'webhook-changed.v1': {
      const { webhookId: _, changedAt: __, ...settings } = event.data;
      return { ...state, settings };
    }
    case 'webhook-secret-rotated.v1': {
      const { secretNumber, previousUntil } = event.data;
      return { ...state, secretNumber, previousUntil };
    }
    case 'webhook-disabled.v1':
      return { ...state, status: 'disabled' };
    case 'webhook-enabled.v1':
      return { ...state, status: 'active' };
    case 'webhook-deleted.v1':
      return { ...state, status: 'deleted' };
  }
}

/** Numbers of the secrets that a delivery is signed with at a time, the newest first. @param now ms since 1970 */
export const secretNumbers = ({ secretNumber, previousUntil }: Webhook, now: number): readonly number[] =>
  previousUntil !== null && now < Date.parse(previousUntil) ? [secretNumber, secretNumber - 1] : [secretNumber];
