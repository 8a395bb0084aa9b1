import type { Application } from '#application/application.js';
import { systemContext, type CommandContext } from '#log/context.js';
import { derivedId } from '#log/execute.js';
import { webhookSecrets } from '../webhook-secrets.js';
import { secretNumbers, webhookDecider, type DisabledReason } from '#domain/webhook/index.js';
import { webhookDeliveryDecider } from '#domain/webhook-delivery/index.js';
import type { ProcessManager } from '#log/process-manager/process-manager.js';
import type { Position } from '#ports/event-store/port.js';
import type { Egress } from '#primitives/egress/index.js';
import { inTurns } from '#primitives/fair-share/turns.js';
import type { SecretKey } from '#primitives/secrets/index.js';
import { MESSAGES } from './messages.js';
import { NO_WEBHOOKS, reasonToDisable, WEBHOOKS, type OpenDelivery, type Webhooks } from './open-deliveries.js';
import { send } from './send.js';

export interface WebhookWork {
  readonly egress: Pick<Egress, 'fetch'>;
  readonly secret: SecretKey;
  /** Limit of one attempt. */
  readonly timeoutMs?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

type Command = { readonly workspaceId: string; readonly webhookId: string } & (
  | { readonly step: 'request'; readonly deliveryId: string; readonly position: Position }
  | { readonly step: 'attempt'; readonly deliveryId: string; readonly attempts: number }
  | { readonly step: 'disable'; readonly reason: Exclude<DisabledReason, 'asked'> }
);

const TIMEOUT_MS = 20_000;
/** Deliveries of an endpoint at a time; of one whose last attempt failed, one. */
const MAX_AT_ONCE = 4;
const LOOKED_AT = 1_024;

/**
 * Notifies endpoints of events, each message at least once and under one id, on a schedule of days; and disables
 * endpoints that fail for longer. A workspace has a bounded share of the concurrent attempts, and each is short.
 */
export function webhooks(application: Application, work: WebhookWork): ProcessManager<Webhooks, Command> {
  return {
    name: 'webhooks',
    initial: NO_WEBHOOKS,
    on: WEBHOOKS,
    pending: pendingCommands,
    key: commandKey,
    workspaceOf: ({ workspaceId }) => workspaceId,
    execute: (command, signal) => carryOut(application, work, command, signal),
  };
}

function commandKey(command: Command): string {
  if (command.step === 'disable') return `disable/${command.webhookId}`;
  return command.step === 'request'
    ? `request/${command.deliveryId}`
    : `attempt/${command.deliveryId}/${command.attempts}`;
}

function pendingCommands(webhooks: Webhooks, now: number): readonly Command[] {
  return [...inTurns(commandsOf(webhooks, now)).take(LOOKED_AT)];
}

function* commandsOf(webhooks: Webhooks, now: number): Generator<Command> {
  for (const [workspaceId, { endpoints, open }] of webhooks.workspaces) {
    if (webhooks.left.has(workspaceId)) continue;
    const atOnce = new Map<string, number>();
    for (const [webhookId, endpoint] of endpoints) {
      const reason = reasonToDisable(endpoint);
      if (reason !== null) yield { workspaceId, webhookId, step: 'disable', reason };
      atOnce.set(webhookId, endpoint.failing === null ? MAX_AT_ONCE : 1);
    }
    for (const delivery of open.values()) {
      if (delivery.dueAt > now) continue;
      const left = atOnce.get(delivery.webhookId) ?? MAX_AT_ONCE;
      if (left === 0) continue;
      atOnce.set(delivery.webhookId, left - 1);
      yield { workspaceId, ...stepOf(delivery) };
    }
  }
}

const stepOf = ({ deliveryId, webhookId, position, attempts }: OpenDelivery) =>
  position === null
    ? ({ step: 'attempt', deliveryId, webhookId, attempts } as const)
    : ({ step: 'request', deliveryId, webhookId, position } as const);

async function carryOut(
  application: Application,
  work: WebhookWork,
  command: Command,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  const { workspaceId, webhookId } = command;
  const now = work.now ?? Date.now;
  const context = (commandId?: string): CommandContext => ({
    ...systemContext('webhooks', workspaceId, commandId),
    now: new Date(now()).toISOString(),
  });
  switch (command.step) {
    case 'disable': {
      const disable = { type: 'disable-webhook', webhookId, workspaceId, reason: command.reason } as const;
      await application.execute(webhookDecider, webhookId, disable, context());
      return;
    }
    case 'request': {
      const { deliveryId, position } = command;
      const event = await application.ports.eventStore.eventAt(position);
      if (event === null) return;
      const { type, data } = MESSAGES[event.type]!;
      const message = { type: type(event), timestamp: event.metadata.occurredAt, data: await data(event, application) };
      const request = { type: 'request-webhook-delivery', deliveryId, webhookId, workspaceId, message } as const;
      await application.execute(webhookDeliveryDecider, deliveryId, request, context(derivedId(deliveryId, 'request')));
      return;
    }
    case 'attempt':
      await attempt(application, work, command.deliveryId, context, signal);
  }
}

async function attempt(
  application: Application,
  { egress, secret, timeoutMs = TIMEOUT_MS }: WebhookWork,
  deliveryId: string,
  context: (commandId?: string) => CommandContext,
  signal: AbortSignal,
): Promise<void> {
  const delivery = await application.load(webhookDeliveryDecider, deliveryId);
  if (delivery.status !== 'open') return;
  const { webhookId, message } = delivery.request;
  const webhook = await application.load(webhookDecider, webhookId);
  if (webhook.status !== 'active') {
    const cancel = { type: 'cancel-webhook-delivery', deliveryId } as const;
    await application.execute(webhookDeliveryDecider, deliveryId, cancel, context());
    return;
  }
  const at = new Date(context().now);
  const secrets = secretNumbers(webhook, at.getTime()).flatMap((number) => webhookSecrets(secret, webhookId, number));
  const { url } = webhook.settings;
  const made = await send({ deliveryId, url, message, secrets, at }, { egress, timeoutMs }, signal);
  const number = delivery.attempts + 1;
  const record = { type: 'record-webhook-attempt', deliveryId, attempt: number, made } as const;
  const commandId = derivedId(deliveryId, `attempt-${number}`);
  await application.execute(webhookDeliveryDecider, deliveryId, record, context(commandId));
}
