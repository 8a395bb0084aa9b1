import type { CommandsOf, Decider, Env } from '../decider.js';
import { ConflictError, NotFoundError } from '../errors.js';
import { WEBHOOK_EVENT_TYPES, type DisabledReason, type WebhookEvent, type WebhookSettings } from './events.js';
import { evolve, type WebhookState } from './state.js';

interface Owned {
  webhookId: string;
  workspaceId: string;
}

export type WebhookCommand = CommandsOf<{
  'create-webhook': Owned & WebhookSettings;
  /** Absent: unchanged. */
  'change-webhook': Owned & { changes: Partial<WebhookSettings>; enabled: boolean | null };
  /** `secretNumber`: the number that the new secret gets. */
  'rotate-webhook-secret': Owned & { secretNumber: number; overlapHours: number };
  /** By the system. */
  'disable-webhook': Owned & { reason: Exclude<DisabledReason, 'asked'> };
  'delete-webhook': Owned;
}>;

/** Events in the stream of one endpoint, after which it can only be deleted. */
const MAX_EVENTS = 900;
const HOUR_MS = 60 * 60_000;

export const webhookDecider: Decider<WebhookCommand, WebhookEvent, WebhookState> = {
  category: 'webhook',
  eventTypes: WEBHOOK_EVENT_TYPES,
  initial: { status: 'none' },
  decide,
  evolve,
};

function decide(command: WebhookCommand, state: WebhookState, env: Env): readonly WebhookEvent[] {
  const { webhookId } = command;
  if (command.type === 'create-webhook') {
    if (state.status !== 'none') return [];
    const { type: _, ...created } = command;
    return [{ type: 'webhook-created.v1', data: { ...created, createdAt: env.now } }];
  }
  if (state.status === 'none' || state.workspaceId !== command.workspaceId)
    throw new NotFoundError('webhook', webhookId);
  if (command.type === 'delete-webhook')
    return state.status === 'deleted' ? [] : [{ type: 'webhook-deleted.v1', data: { webhookId, deletedAt: env.now } }];
  if (state.status === 'deleted') throw new NotFoundError('webhook', webhookId);
  switch (command.type) {
    case 'change-webhook': {
      const events = [...changed(command, state, env), ...switched(command, state, env)];
      if (events.length > 0) requireRoom(state);
      return events;
    }
    case 'rotate-webhook-secret': {
      const { secretNumber, overlapHours } = command;
      if (state.secretNumber >= secretNumber) return [];
      requireRoom(state);
      const previousUntil = new Date(Date.parse(env.now) + overlapHours * HOUR_MS).toISOString();
      const data = { webhookId, secretNumber: state.secretNumber + 1, previousUntil, rotatedAt: env.now };
      return [{ type: 'webhook-secret-rotated.v1', data }];
    }
    case 'disable-webhook':
      if (state.status === 'disabled') return [];
      return [{ type: 'webhook-disabled.v1', data: { webhookId, reason: command.reason, disabledAt: env.now } }];
  }
}

type Known = Exclude<WebhookState, { status: 'none' }>;
type Change = Extract<WebhookCommand, { type: 'change-webhook' }>;

function changed({ webhookId, changes }: Change, { settings }: Known, env: Env): WebhookEvent[] {
  const after = { ...settings, ...changes };
  const isSame =
    after.url === settings.url &&
    after.description === settings.description &&
    after.types.join() === settings.types.join();
  return isSame ? [] : [{ type: 'webhook-changed.v1', data: { webhookId, ...after, changedAt: env.now } }];
}

function switched({ webhookId, enabled }: Change, { status }: Known, env: Env): WebhookEvent[] {
  if (enabled === true && status === 'disabled')
    return [{ type: 'webhook-enabled.v1', data: { webhookId, enabledAt: env.now } }];
  if (enabled === false && status === 'active')
    return [{ type: 'webhook-disabled.v1', data: { webhookId, reason: 'asked', disabledAt: env.now } }];
  return [];
}

function requireRoom({ webhookId, eventCount }: Known): void {
  if (eventCount < MAX_EVENTS) return;
  throw new ConflictError(`webhook ${webhookId} has been changed ${MAX_EVENTS} times; delete it and make another`);
}
