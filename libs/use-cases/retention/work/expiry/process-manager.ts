import type { Application } from '#application/application.js';
import type { ExpiryEvent } from '#domain/expiry/index.js';
import {
  daysInForce,
  DEFAULT_BOUNDS,
  NO_RETENTION,
  RETENTION_KINDS,
  type RetentionEvent,
  type RetentionKind,
} from '#domain/retention/index.js';
import type { TeamEvent } from '#domain/team/index.js';
import type { Handlers } from '#log/projector/handlers.js';
import type { ProcessManager } from '#log/process-manager/process-manager.js';
import { erase, type Pass } from './erase.js';

interface Kept {
  readonly days: { readonly [Kind in RetentionKind]?: number | null };
  /** The day of the last pass. */
  readonly applied: { readonly [Kind in RetentionKind]?: string };
}

type Workspaces = ReadonlyMap<string, Kept>;
type Watched = TeamEvent | RetentionEvent | ExpiryEvent;

const DAY_MS = 24 * 60 * 60_000;

/** Erases expired contents once a day: the result of a pass is an event, and an interrupted pass restarts. */
export function expiry(application: Application): ProcessManager<Workspaces, Pass, Watched> {
  const bounds = application.deployment.retention ?? DEFAULT_BOUNDS;
  return {
    name: 'expiry',
    initial: new Map(),
    on: WORKSPACES,
    pending(workspaces, now) {
      const day = new Date(now).toISOString().slice(0, 10);
      return [...workspaces].flatMap(([workspaceId, { days, applied }]) =>
        RETENTION_KINDS.flatMap((kind) => {
          const kept = daysInForce({ ...NO_RETENTION, days }, kind, bounds);
          if (kept === null || (applied[kind] ?? '') >= day) return [];
          return [{ workspaceId, kind, day, before: new Date(now - kept * DAY_MS).toISOString() }];
        }),
      );
    },
    key: ({ workspaceId, kind, day }) => `${workspaceId}/${kind}/${day}`,
    workspaceOf: ({ workspaceId }) => workspaceId,
    execute: (pass, signal) => erase(application, pass, signal),
  };
}

const NOTHING_SET: Kept = { days: {}, applied: {} };

const WORKSPACES: Handlers<Workspaces, Watched> = {
  'team-member-added.v1': (workspaces, { data: { workspaceId } }) => changed(workspaces, workspaceId, {}),
  'retention-set.v1': (workspaces, { data: { workspaceId, kind, days } }) =>
    changed(workspaces, workspaceId, { days: { [kind]: days } }),
  'retention-applied.v1': (workspaces, { data: { workspaceId, kind, day } }) =>
    changed(workspaces, workspaceId, { applied: { [kind]: day } }),
};

function changed(workspaces: Workspaces, workspaceId: string, { days, applied }: Partial<Kept>): Workspaces {
  const before = workspaces.get(workspaceId) ?? NOTHING_SET;
  const after = { days: { ...before.days, ...days }, applied: { ...before.applied, ...applied } };
  return new Map(workspaces).set(workspaceId, after);
}
