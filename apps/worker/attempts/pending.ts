import type { AttemptRef, Heartbeat, WorkKind } from '#gpu-runner/protocol.js';
import type { OpenItem, OpenWork } from './open-work.js';

/** What the heartbeats tell, as of now, on the clock of whoever asks. */
export interface RunnersSeen {
  /** The last heartbeats of those heard of late. */
  present(): readonly Heartbeat[];
  /** Milliseconds since the attempt was last heard of, or since it was first asked about. */
  silentFor(kind: WorkKind, ref: AttemptRef): number;
  /** Whether another runner has started under this one's name: then this one is gone. */
  replaced(runnerId: string): boolean;
  /** Whether this attempt was offered so lately that its claim may still be on its way. */
  offeredLately(kind: WorkKind, ref: AttemptRef): boolean;
}

export type AttemptCommand =
  | { readonly type: 'offer'; readonly kind: WorkKind; readonly ref: AttemptRef }
  | {
      readonly type: 'lose';
      readonly kind: WorkKind;
      readonly ref: AttemptRef;
      readonly workspaceId: string;
      readonly reason: string;
    }
  | { readonly type: 'cancel'; readonly kind: WorkKind; readonly ref: AttemptRef };

export const SILENCE_MS = 30_000;

/**
 * What is still to do: offers the oldest unclaimed attempts while runners have room, gives up attempts whose runner is
 * silent or was replaced, and tells runners to stop what no longer counts.
 */
export function pendingAttempts(kind: WorkKind, open: OpenWork, runners: RunnersSeen): readonly AttemptCommand[] {
  const items = [...open.values()];
  return [
    ...items.flatMap((item) => lost(kind, item, runners)),
    ...offers(kind, items, runners),
    ...runners
      .present()
      .flatMap(({ working }) => working.filter((each) => each.kind === kind))
      .filter(({ id, attempt }) => attempt < (open.get(id)?.attempt ?? Infinity))
      .map(({ id, attempt }): AttemptCommand => ({ type: 'cancel', kind, ref: { id, attempt } })),
  ];
}

function offers(kind: WorkKind, items: readonly OpenItem[], runners: RunnersSeen): readonly AttemptCommand[] {
  const unclaimed = items.filter((item) => item.runnerId === null).map(({ id, attempt }) => ({ id, attempt }));
  const onTheirWay = unclaimed.filter((ref) => runners.offeredLately(kind, ref));
  const room = Math.max(0, roomOf(kind, items, runners.present()) - onTheirWay.length);
  return unclaimed
    .filter((ref) => !runners.offeredLately(kind, ref))
    .slice(0, room)
    .map((ref): AttemptCommand => ({ type: 'offer', kind, ref }));
}

/** A heartbeat may be a second old, and a claim may be newer: an attempt of which either tells takes room. */
function roomOf(kind: WorkKind, items: readonly OpenItem[], present: readonly Heartbeat[]): number {
  return present.reduce((room, { runnerId, capacity, working }) => {
    const told = working.filter((each) => each.kind === kind).map(({ id }) => id);
    const claimed = items.filter((item) => item.runnerId === runnerId).map(({ id }) => id);
    return room + Math.max(0, capacity[kind] - new Set([...told, ...claimed]).size);
  }, 0);
}

function lost(kind: WorkKind, item: OpenItem, runners: RunnersSeen): readonly AttemptCommand[] {
  const { id, attempt, runnerId, workspaceId } = item;
  if (runnerId === null) return [];
  const ref = { id, attempt };
  const silent = runners.silentFor(kind, ref) >= SILENCE_MS;
  if (!silent && !runners.replaced(runnerId)) return [];
  const reason = silent ? `its runner fell silent for ${SILENCE_MS / 1000} s` : 'its runner was restarted';
  return [{ type: 'lose', kind, ref, workspaceId, reason }];
}
