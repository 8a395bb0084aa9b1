import { canRun, isForBeside, loose, type Needs } from '#gpu-runner/contract/needs.js';
import type { Heartbeat, WorkKind } from '#gpu-runner/contract/work.js';
import type { OpenItem } from './open-work.js';

interface Room {
  readonly engines: Heartbeat['engines'];
  /** Number of base models: how much it can run. */
  readonly breadth: number;
  left: number;
  /** Engines of which a small training has the room beside the others, and whether it is free. */
  readonly beside: readonly string[];
  isBesideFree: boolean;
}

/** The room that runners have for attempts of one kind. */
export class Rooms {
  /** Runners that can run the least first. */
  private readonly rooms: readonly Room[];

  constructor(kind: WorkKind, items: readonly OpenItem[], present: readonly Heartbeat[]) {
    this.rooms = present
      .map(({ runnerId, capacity, working, engines, ...told }) => {
        const beside = kind === 'training' ? (told.beside ?? []) : [];
        // A heartbeat may be a second old, and a claim may be newer: an attempt in either takes room.
        const heard = working.filter((each) => each.kind === kind).map(({ id }) => id);
        const claimed = items.filter((item) => item.runnerId === runnerId).map(({ id }) => id);
        const taking = new Set([...heard, ...claimed]);
        const isBesideFree = !items.some(({ id, needs }) => taking.has(id) && isForBeside(needs, beside));
        const breadth = engines.reduce((sum, { baseModels }) => sum + baseModels.length, 0);
        const left = capacity[kind] - taking.size + (isBesideFree ? 0 : 1);
        return { engines, breadth, left, beside, isBesideFree };
      })
      .toSorted((one, other) => (one.breadth < other.breadth ? -1 : 1));
  }

  get areFull(): boolean {
    return this.rooms.every(({ left, beside, isBesideFree }) => left <= 0 && (beside.length === 0 || !isBesideFree));
  }

  has(needs: Needs | null): boolean {
    return this.find(this.told(needs)) !== undefined;
  }

  /** Takes room at the runner that can run the least of those that can run this. @returns what to ask of runners; undefined: no room */
  take(needs: Needs | null): Needs | null | undefined {
    const told = this.told(needs);
    const room = this.find(told);
    if (!room) return undefined;
    if (isFree(room, told)) room.isBesideFree = false;
    else room.left -= 1;
    return told;
  }

  /** The version and files matter only if a runner has them. */
  private told(needs: Needs | null): Needs | null {
    return needs === null || this.rooms.some((room) => fits(room, needs)) ? needs : loose(needs);
  }

  private find(needs: Needs | null): Room | undefined {
    return this.rooms.find((room) => (room.left > 0 || isFree(room, needs)) && fits(room, needs));
  }
}

/** Whether the room beside the others is free for this. */
const isFree = ({ beside, isBesideFree }: Room, needs: Needs | null): boolean =>
  isBesideFree && isForBeside(needs, beside);

const fits = ({ engines }: Room, needs: Needs | null): boolean => needs === null || canRun(engines, needs);
