import { derivedId } from '#application/execute.js';
import type { DisabledReason, WebhookEvent } from '#domain/webhook/index.js';
import type { WebhookDeliveryEvent } from '#domain/webhook-delivery/index.js';
import type { Handlers, Recorded } from '#log/projector/handlers.js';
import type { Position, RecordedEvent } from '#ports/event-store/port.js';
import { MESSAGES } from './messages.js';

/** Endpoints and open deliveries, by workspace. */
export type Webhooks = ReadonlyMap<string, OfWorkspace>;

interface OfWorkspace {
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** By delivery, oldest first. */
  readonly open: ReadonlyMap<string, OpenDelivery>;
}

export interface Endpoint {
  readonly webhookId: string;
  readonly types: readonly string[];
  readonly isActive: boolean;
  /** Times of the first and the last failed attempt since the last that succeeded, in ms since 1970; null: there is none. */
  readonly failing: { readonly since: number; readonly last: number } | null;
  /** It answered 410. */
  readonly isGone: boolean;
}

export interface OpenDelivery {
  readonly deliveryId: string;
  readonly webhookId: string;
  /** Place of the event that it tells of, until it has been requested. */
  readonly position: Position | null;
  readonly attempts: number;
  /** When the next attempt is due, in ms since 1970. */
  readonly dueAt: number;
}

/** Attempts that fail for so long, with none that succeeds, disable their endpoint: more than one message's attempts take. */
const DISABLED_AFTER_MS = 5 * 24 * 60 * 60_000;
const GONE = 410;

/** Why the system disables an endpoint; null: it does not. */
export function reasonToDisable({ isActive, isGone, failing }: Endpoint): Exclude<DisabledReason, 'asked'> | null {
  if (!isActive) return null;
  if (isGone) return 'gone';
  return failing !== null && failing.last - failing.since >= DISABLED_AFTER_MS ? 'failing' : null;
}

const NONE: OfWorkspace = { endpoints: new Map(), open: new Map() };

function within(webhooks: Webhooks, event: Pick<RecordedEvent, 'metadata'>, change: (of: OfWorkspace) => OfWorkspace) {
  const workspaceId = event.metadata.workspaceId ?? '';
  const before = webhooks.get(workspaceId) ?? NONE;
  const after = change(before);
  if (after === before) return webhooks;
  const changed = new Map(webhooks);
  if (after.endpoints.size + after.open.size === 0) changed.delete(workspaceId);
  else changed.set(workspaceId, after);
  return changed;
}

function withEndpoint(of: OfWorkspace, webhookId: string, change: (endpoint: Endpoint) => Endpoint): OfWorkspace {
  const endpoint = of.endpoints.get(webhookId);
  return endpoint ? { ...of, endpoints: new Map(of.endpoints).set(webhookId, change(endpoint)) } : of;
}

function withDelivery(of: OfWorkspace, { deliveryId, ...delivery }: OpenDelivery): OfWorkspace {
  return { ...of, open: new Map(of.open).set(deliveryId, { deliveryId, ...delivery }) };
}

/** Requested deliveries of an endpoint that takes no more are due at once, and then cancelled; others are forgotten. */
function withoutDeliveriesTo(of: OfWorkspace, webhookId: string): OfWorkspace {
  const open = new Map<string, OpenDelivery>();
  for (const delivery of of.open.values())
    if (delivery.webhookId !== webhookId) open.set(delivery.deliveryId, delivery);
    else if (delivery.position === null) open.set(delivery.deliveryId, { ...delivery, dueAt: -Infinity });
  return { ...of, open };
}

/** Opens a delivery to each endpoint that has asked for this type by now: what was there before it is never told. */
function told(webhooks: Webhooks, event: RecordedEvent): Webhooks {
  const { type } = MESSAGES[event.type]!;
  return within(webhooks, event, (of) => {
    let after = of;
    for (const { webhookId, types, isActive } of of.endpoints.values()) {
      if (!isActive || !types.includes(type)) continue;
      const { position } = event;
      const deliveryId = derivedId(event.id, webhookId);
      after = withDelivery(after, { deliveryId, webhookId, position, attempts: 0, dueAt: -Infinity });
    }
    return after;
  });
}

function attempted(
  webhooks: Webhooks,
  event: Recorded<Extract<WebhookDeliveryEvent, { type: 'webhook-delivery-attempted.v1' }>>,
): Webhooks {
  const { deliveryId, webhookId, attempt, statusCode, error, nextAttemptAt, attemptedAt } = event.data;
  return within(webhooks, event, (of) => {
    const delivery = of.open.get(deliveryId);
    const dueAt = nextAttemptAt === null ? Infinity : Date.parse(nextAttemptAt);
    const after = delivery ? withDelivery(of, { ...delivery, attempts: attempt, dueAt }) : of;
    return withEndpoint(after, webhookId, (endpoint) => {
      if (error === null) return { ...endpoint, failing: null };
      const last = Date.parse(attemptedAt);
      const failing = { since: endpoint.failing?.since ?? last, last };
      return { ...endpoint, failing, isGone: endpoint.isGone || statusCode === GONE };
    });
  });
}

const OF_WEBHOOKS: Handlers<Webhooks, WebhookEvent | WebhookDeliveryEvent> = {
  'webhook-created.v1': (webhooks, event) =>
    within(webhooks, event, (of) => {
      const { webhookId, types } = event.data;
      const endpoint = { webhookId, types, isActive: true, failing: null, isGone: false };
      return { ...of, endpoints: new Map(of.endpoints).set(webhookId, endpoint) };
    }),
  'webhook-changed.v1': (webhooks, event) =>
    within(webhooks, event, (of) =>
      withEndpoint(of, event.data.webhookId, (endpoint) => ({ ...endpoint, types: event.data.types })),
    ),
  'webhook-enabled.v1': (webhooks, event) =>
    within(webhooks, event, (of) =>
      withEndpoint(of, event.data.webhookId, (endpoint) => ({
        ...endpoint,
        ...{ isActive: true, failing: null, isGone: false },
      })),
    ),
  'webhook-disabled.v1': (webhooks, event) => {
    const { webhookId } = event.data;
    const after = within(webhooks, event, (of) =>
      withoutDeliveriesTo(
        withEndpoint(of, webhookId, (endpoint) => ({ ...endpoint, isActive: false })),
        webhookId,
      ),
    );
    return told(after, event);
  },
  'webhook-deleted.v1': (webhooks, event) =>
    within(webhooks, event, (of) => {
      const endpoints = new Map(of.endpoints);
      endpoints.delete(event.data.webhookId);
      return withoutDeliveriesTo({ ...of, endpoints }, event.data.webhookId);
    }),
  'webhook-delivery-requested.v1': (webhooks, event) =>
    within(webhooks, event, (of) => {
      const { deliveryId, webhookId } = event.data;
      return withDelivery(of, { deliveryId, webhookId, position: null, attempts: 0, dueAt: -Infinity });
    }),
  'webhook-delivery-attempted.v1': attempted,
  'webhook-delivery-resent.v1': (webhooks, event) =>
    within(webhooks, event, (of) => {
      const { deliveryId, webhookId, attempts } = event.data;
      return withDelivery(of, { deliveryId, webhookId, position: null, attempts, dueAt: -Infinity });
    }),
  'webhook-delivery-ended.v1': (webhooks, event) =>
    within(webhooks, event, (of) => {
      if (!of.open.has(event.data.deliveryId)) return of;
      const open = new Map(of.open);
      open.delete(event.data.deliveryId);
      return { ...of, open };
    }),
};

/** The state after each type of event. */
export const WEBHOOKS: Handlers<Webhooks> = {
  ...Object.fromEntries(Object.keys(MESSAGES).map((type) => [type, told])),
  ...(OF_WEBHOOKS as Handlers<Webhooks>),
};
