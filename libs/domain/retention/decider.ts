import type { CommandsOf, Decider, Env } from '../decider.js';
import { ConflictError, InvalidError, NotFoundError } from '../errors.js';
import { RETENTION_EVENT_TYPES, type Hold, type RetentionEvent, type RetentionKind } from './events.js';
import { evolve, NO_RETENTION, type RetentionState } from './state.js';

/** Bounds set by the operator, in days. */
export interface RetentionBounds {
  /** Calls, and the feedback on them, are kept at least so long. */
  readonly floorDays: number;
  /** No contents are kept longer; null: forever. Models are no contents. */
  readonly ceilingDays: number | null;
}

/**
 * Articles 19 and 26 of the EU AI Act have logs of high-risk systems kept for at least six months: 184 days are the longest six.
 */
export const DEFAULT_BOUNDS: RetentionBounds = { floorDays: 184, ceilingDays: null };

type RetentionCommand = CommandsOf<{
  'set-retention': {
    workspaceId: string;
    kind: RetentionKind;
    days: number | null;
    bounds: RetentionBounds;
  };
  'place-hold': Hold;
  'release-hold': { workspaceId: string; holdId: string; reason: string };
}>;

const MAX_HOLDS = 500;

/** Decides how long the contents of a workspace are kept, and on holds against their erasure: a stream for each workspace. */
export const retentionDecider: Decider<RetentionCommand, RetentionEvent, RetentionState> = {
  category: 'retention',
  eventTypes: RETENTION_EVENT_TYPES,
  initial: NO_RETENTION,
  decide,
  evolve,
};

function decide(command: RetentionCommand, state: RetentionState, env: Env): readonly RetentionEvent[] {
  switch (command.type) {
    case 'set-retention': {
      const { workspaceId, kind, days, bounds } = command;
      requireWithin(kind, days, bounds);
      if ((state.days[kind] ?? null) === days) return [];
      return [{ type: 'retention-set.v1', data: { workspaceId, kind, days, setAt: env.now } }];
    }
    case 'place-hold': {
      const { type: _, ...hold } = command;
      if (state.holds.some(({ holdId }) => holdId === hold.holdId) || state.released.includes(hold.holdId)) return [];
      if (state.holds.length >= MAX_HOLDS)
        throw new ConflictError(`this workspace has ${MAX_HOLDS} holds; release one before you place another`);
      return [{ type: 'hold-placed.v1', data: { ...hold, placedAt: env.now } }];
    }
    case 'release-hold': {
      const { workspaceId, holdId, reason } = command;
      if (state.released.includes(holdId)) return [];
      if (!state.holds.some((hold) => hold.holdId === holdId)) throw new NotFoundError('hold', holdId);
      return [{ type: 'hold-released.v1', data: { holdId, workspaceId, reason, releasedAt: env.now } }];
    }
  }
}

function requireWithin(kind: RetentionKind, days: number | null, { floorDays, ceilingDays }: RetentionBounds): void {
  const refuse = (message: string) => new InvalidError({ path: [kind], message, type: 'out_of_range' });
  if (hasFloor(kind) && days !== null && days < floorDays)
    throw refuse(
      `must be at least ${floorDays} days (got ${days}): records of calls of deployed models are kept so long, as the operator has set it`,
    );
  if (ceilingDays !== null && hasCeiling(kind) && (days === null || days > ceilingDays))
    throw refuse(`must be at most ${ceilingDays} days (got ${days ?? 'null'}): the operator has nothing kept longer`);
}

/** Whether it is a record of calls of deployed models. */
const hasFloor = (kind: RetentionKind): boolean => kind === 'calls' || kind === 'feedback';

/** Models go only where their workspace says so. */
const hasCeiling = (kind: RetentionKind): boolean => kind !== 'training_jobs';

/** The number of days in force; null: kept forever. */
export function daysInForce({ days }: RetentionState, kind: RetentionKind, bounds: RetentionBounds): number | null {
  const { floorDays } = bounds;
  const ceilingDays = hasCeiling(kind) ? bounds.ceilingDays : null;
  const set = days[kind] ?? ceilingDays;
  if (set === null) return null;
  // Either bound may have been changed since.
  const most = Math.min(set, ceilingDays ?? Infinity);
  return hasFloor(kind) ? Math.max(most, floorDays) : most;
}
