import type { Needs } from '#gpu-runner/contract/needs.js';
import type { AttemptRef, Heartbeat, WorkKind } from '#gpu-runner/contract/work.js';
import { inTurns } from '#primitives/fair-share/turns.js';
import type { OpenItem, OpenWork } from './open-work.js';
import { Rooms } from './rooms.js';

/** The state of the runners by their heartbeats, on the asking process's clock. */
export interface RunnersSeen {
  /** The last heartbeats of runners that are present. */
  present(): readonly Heartbeat[];
  /** Milliseconds since the attempt was last heard of, or since it was first asked about. */
  silentFor(kind: WorkKind, ref: AttemptRef): number;
  /** Whether another runner has started under this one's name, which means that this one has ended. */
  replaced(runnerId: string): boolean;
  /** Whether this attempt was offered so recently that its claim may be in flight. */
  offeredLately(kind: WorkKind, ref: AttemptRef): boolean;
}

export type AttemptCommand =
  | {
      readonly type: 'offer';
      readonly kind: WorkKind;
      readonly ref: AttemptRef;
      readonly needs: Needs | null;
      readonly traceparent?: string;
    }
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
 * Pending work: offers unclaimed attempts while runners that can run them have room, workspaces in turns, gives up
 * attempts whose runner is silent or was replaced, and tells runners to stop obsolete work.
 * @param now milliseconds since 1970
 */
export function pendingAttempts(
  kind: WorkKind,
  open: OpenWork,
  runners: RunnersSeen,
  now: number,
): readonly AttemptCommand[] {
  return [
    ...[...open.items.values()].flatMap((item) => lost(kind, item, runners)),
    ...offers(kind, open, runners, now),
    ...runners
      .present()
      .flatMap(({ working }) => working.filter((each) => each.kind === kind))
      .filter(({ id, attempt }) => attempt < (open.items.get(id)?.attempt ?? Infinity))
      .map(({ id, attempt }): AttemptCommand => ({ type: 'cancel', kind, ref: { id, attempt } })),
  ];
}

/**
 * Offers at most as much as runners have room for: work waiting at a runner would be taken before another workspace's
 * turn. What users asked for goes before what the system did.
 */
function offers(kind: WorkKind, open: OpenWork, runners: RunnersSeen, now: number): readonly AttemptCommand[] {
  const items = [...open.items.values()];
  const isOnItsWay = (item: OpenItem) => item.runnerId === null && runners.offeredLately(kind, refOf(item));
  const onTheirWay = items.filter(isOnItsWay);
  const rooms = new Rooms(kind, items, runners.present());
  for (const { needs } of onTheirWay) rooms.take(needs);
  if (rooms.areFull) return [];
  const isWaiting = (item: OpenItem) => item.runnerId === null && item.notBefore <= now && !isOnItsWay(item);
  const waiting = items.filter((item) => isWaiting(item) && rooms.has(item.needs));
  const busy = countBy([...items.filter(({ runnerId }) => runnerId !== null), ...onTheirWay]);
  const served = new Map(open.served.map((workspaceId, index) => [workspaceId, index + 1]));
  const turnsOf = (some: readonly OpenItem[]) =>
    inTurns(some, {
      running: (workspaceId) => busy.get(workspaceId) ?? 0,
      servedAt: (workspaceId) => served.get(workspaceId) ?? 0,
    });
  const [automatic, asked] = [waiting.filter(isAutomatic), waiting.filter((item) => !isAutomatic(item))];
  const commands: AttemptCommand[] = [];
  for (const item of [...turnsOf(asked), ...turnsOf(automatic)]) {
    const needs = rooms.take(item.needs);
    const { traceparent } = item;
    if (needs !== undefined)
      commands.push({
        type: 'offer',
        kind,
        ref: refOf(item),
        needs,
        ...(traceparent !== undefined && { traceparent }),
      });
    if (rooms.areFull) break;
  }
  return commands;
}

const isAutomatic = (item: OpenItem): boolean => item.isAutomatic === true;

const refOf = ({ id, attempt }: OpenItem): AttemptRef => ({ id, attempt });

function countBy(items: readonly OpenItem[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { workspaceId } of items) counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + 1);
  return counts;
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
