import { canRun, loose, type Needs } from '#gpu-runner/contract/needs.js';
import type { Heartbeat, WorkKind } from '#gpu-runner/contract/work.js';
import type { OpenItem } from './open-work.js';

interface Room {
  readonly engines: Heartbeat['engines'];
  /** Number of base models: how much it can run. */
  readonly breadth: number;
  left: number;
}

/** The room that runners have for attempts of one kind. */
export class Rooms {
  /** Runners that can run the least first. */
  private readonly rooms: readonly Room[];

  constructor(kind: WorkKind, items: readonly OpenItem[], present: readonly Heartbeat[]) {
    this.rooms = present
      .map(({ runnerId, capacity, working, engines }) => {
        // A heartbeat may be a second old, and a claim may be newer: an attempt in either takes room.
        const told = working.filter((each) => each.kind === kind).map(({ id }) => id);
        const claimed = items.filter((item) => item.runnerId === runnerId).map(({ id }) => id);
        const breadth = engines.reduce((sum, { baseModels }) => sum + baseModels.length, 0);
        return { engines, breadth, left: capacity[kind] - new Set([...told, ...claimed]).size };
      })
      .toSorted((one, other) => (one.breadth < other.breadth ? -1 : 1));
  }

  get areFull(): boolean {
    return this.rooms.every(({ left }) => left <= 0);
  }

  has(needs: Needs | null): boolean {
    return this.find(this.told(needs)) !== undefined;
  }

  /** Takes room at the runner that can run the least of those that can run this. @returns what to ask of runners; undefined: no room */
  take(needs: Needs | null): Needs | null | undefined {
    const told = this.told(needs);
    const room = this.find(told);
    if (!room) return undefined;
    room.left -= 1;
    return told;
  }

  /** The version and files matter only if a runner has them. */
  private told(needs: Needs | null): Needs | null {
    return needs === null || this.rooms.some((room) => fits(room, needs)) ? needs : loose(needs);
  }

  private find(needs: Needs | null): Room | undefined {
    return this.rooms.find((room) => room.left > 0 && fits(room, needs));
  }
}

const fits = ({ engines }: Room, needs: Needs | null): boolean => needs === null || canRun(engines, needs);
