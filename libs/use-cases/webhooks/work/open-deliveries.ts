import { derivedId } from '#log/execute.js';
import type { TeamEvent } from '#domain/team/index.js';
import type { DisabledReason, WebhookEvent } from '#domain/webhook/index.js';
import type { WebhookDeliveryEvent } from '#domain/webhook-delivery/index.js';
import type { Handlers, Recorded } from '#log/projector/handlers.js';
import type { Position, RecordedEvent } from '#ports/event-store/port.js';
import { MESSAGES } from './messages.js';

export interface Webhooks {
  /** Endpoints and open deliveries, by workspace. */
  readonly workspaces: ReadonlyMap<string, OfWorkspace>;
  /** Workspaces of a team's members, by team and member. */
  readonly teams: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Workspaces of former members: their endpoints get no further messages. */
  readonly left: ReadonlySet<string>;
}

export const NO_WEBHOOKS: Webhooks = { workspaces: new Map(), teams: new Map(), left: new Set() };

interface OfWorkspace {
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** By delivery, oldest first. */
  readonly open: ReadonlyMap<string, OpenDelivery>;
}

interface Endpoint {
  readonly webhookId: string;
  readonly types: readonly string[];
  readonly isActive: boolean;
  /**
   * Times of the first and the last failed attempt since the last success, in ms since 1970; null if none has failed.
   */
  readonly failing: { readonly since: number; readonly last: number } | null;
  /** The endpoint answered 410. */
  readonly isGone: boolean;
}

export interface OpenDelivery {
  readonly deliveryId: string;
  readonly webhookId: string;
  /** Place of the event that it reports, until it has been requested. */
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

function within(webhooks: Webhooks, workspaceId: string | null, change: (of: OfWorkspace) => OfWorkspace): Webhooks {
  if (workspaceId === null) return webhooks;
  const before = webhooks.workspaces.get(workspaceId) ?? NONE;
  const after = change(before);
  if (after === before) return webhooks;
  const workspaces = new Map(webhooks.workspaces);
  if (after.endpoints.size + after.open.size === 0) workspaces.delete(workspaceId);
  else workspaces.set(workspaceId, after);
  return { ...webhooks, workspaces };
}

function withEndpoint(of: OfWorkspace, webhookId: string, change: (endpoint: Endpoint) => Endpoint): OfWorkspace {
  const endpoint = of.endpoints.get(webhookId);
  return endpoint ? { ...of, endpoints: new Map(of.endpoints).set(webhookId, change(endpoint)) } : of;
}

function withDelivery(of: OfWorkspace, { deliveryId, ...delivery }: OpenDelivery): OfWorkspace {
  return { ...of, open: new Map(of.open).set(deliveryId, { deliveryId, ...delivery }) };
}

/** Requested deliveries of a disabled endpoint are due at once, and then cancelled; others are forgotten. */
function withoutDeliveriesTo(of: OfWorkspace, webhookId: string): OfWorkspace {
  const open = new Map<string, OpenDelivery>();
  for (const delivery of of.open.values())
    if (delivery.webhookId !== webhookId) open.set(delivery.deliveryId, delivery);
    else if (delivery.position === null) open.set(delivery.deliveryId, { ...delivery, dueAt: -Infinity });
  return { ...of, open };
}

/** Opens a delivery to each endpoint that is subscribed to this type by now: endpoints never receive earlier events. */
function told(webhooks: Webhooks, event: RecordedEvent): Webhooks {
  const type = MESSAGES[event.type]!.type(event);
  return workspacesOf(webhooks, event).reduce((before, workspaceId) => {
    return within(before, workspaceId, (of) => {
      let after = of;
      for (const { webhookId, types, isActive } of of.endpoints.values()) {
        if (!isActive || !types.includes(type)) continue;
        const { position } = event;
        const deliveryId = derivedId(event.id, webhookId);
        after = withDelivery(after, { deliveryId, webhookId, position, attempts: 0, dueAt: -Infinity });
      }
      return after;
    });
  }, webhooks);
}

/** The event's workspace, or the workspaces of its team. */
function workspacesOf({ teams, left }: Webhooks, event: RecordedEvent): readonly string[] {
  const { metadata, data } = event;
  const { workspaceId } = metadata;
  if (workspaceId !== null) return left.has(workspaceId) ? [] : [workspaceId];
  return [...(teams.get(data['teamId'] as string)?.values() ?? [])];
}

function attempted(
  webhooks: Webhooks,
  event: Recorded<Extract<WebhookDeliveryEvent, { type: 'webhook-delivery-attempted.v1' }>>,
): Webhooks {
  const { deliveryId, webhookId, attempt, statusCode, error, nextAttemptAt, attemptedAt } = event.data;
  return within(webhooks, event.metadata.workspaceId, (of) => {
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

function withMember(webhooks: Webhooks, teamId: string, userId: string, workspaceId: string): Webhooks {
  const teams = new Map(webhooks.teams);
  teams.set(teamId, new Map(teams.get(teamId)).set(userId, workspaceId));
  const left = new Set(webhooks.left);
  left.delete(workspaceId);
  return { ...webhooks, teams, left };
}

function withoutMember(webhooks: Webhooks, teamId: string, userId: string): Webhooks {
  const members = new Map(webhooks.teams.get(teamId));
  const workspaceId = members.get(userId);
  if (workspaceId === undefined) return webhooks;
  members.delete(userId);
  const teams = new Map(webhooks.teams).set(teamId, members);
  return { ...webhooks, teams, left: new Set(webhooks.left).add(workspaceId) };
}

const OF_WEBHOOKS: Handlers<Webhooks, WebhookEvent | WebhookDeliveryEvent | TeamEvent> = {
  'team-member-added.v1': (webhooks, { data }) => withMember(webhooks, data.teamId, data.userId, data.workspaceId),
  'team-member-removed.v1': (webhooks, { data }) => withoutMember(webhooks, data.teamId, data.userId),
  'webhook-created.v1': (webhooks, event) =>
    within(webhooks, event.metadata.workspaceId, (of) => {
      const { webhookId, types } = event.data;
      const endpoint = { webhookId, types, isActive: true, failing: null, isGone: false };
      return { ...of, endpoints: new Map(of.endpoints).set(webhookId, endpoint) };
    }),
  'webhook-changed.v1': (webhooks, event) =>
    within(webhooks, event.metadata.workspaceId, (of) =>
      withEndpoint(of, event.data.webhookId, (endpoint) => ({ ...endpoint, types: event.data.types })),
    ),
  'webhook-enabled.v1': (webhooks, event) =>
    within(webhooks, event.metadata.workspaceId, (of) =>
      withEndpoint(of, event.data.webhookId, (endpoint) => ({
        ...endpoint,
        ...{ isActive: true, failing: null, isGone: false },
      })),
    ),
  'webhook-disabled.v1': (webhooks, event) => {
    const { webhookId } = event.data;
    const after = within(webhooks, event.metadata.workspaceId, (of) =>
      withoutDeliveriesTo(
        withEndpoint(of, webhookId, (endpoint) => ({ ...endpoint, isActive: false })),
        webhookId,
      ),
    );
    return told(after, event);
  },
  'webhook-deleted.v1': (webhooks, event) =>
    within(webhooks, event.metadata.workspaceId, (of) => {
      const endpoints = new Map(of.endpoints);
      endpoints.delete(event.data.webhookId);
      return withoutDeliveriesTo({ ...of, endpoints }, event.data.webhookId);
    }),
  'webhook-delivery-requested.v1': (webhooks, event) =>
    within(webhooks, event.metadata.workspaceId, (of) => {
      const { deliveryId, webhookId } = event.data;
      return withDelivery(of, { deliveryId, webhookId, position: null, attempts: 0, dueAt: -Infinity });
    }),
  'webhook-delivery-attempted.v1': attempted,
  'webhook-delivery-resent.v1': (webhooks, event) =>
    within(webhooks, event.metadata.workspaceId, (of) => {
      const { deliveryId, webhookId, attempts } = event.data;
      return withDelivery(of, { deliveryId, webhookId, position: null, attempts, dueAt: -Infinity });
    }),
  'webhook-delivery-ended.v1': (webhooks, event) =>
    within(webhooks, event.metadata.workspaceId, (of) => {
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
