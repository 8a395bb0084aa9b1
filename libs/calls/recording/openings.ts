import { definitely } from '#log/execute.js';
import type { EventToAppend, HeldEvent, HeldEvents } from '#ports/event-store/port.js';
import { GroupedWrites } from './grouped-writes.js';

/** Holds the openings of calls beside the log, each until the event of its end takes its place. */
export class Openings {
  private readonly writes: GroupedWrites<{ readonly opening: HeldEvent; readonly bytes: number }>;

  constructor(held: HeldEvents) {
    this.writes = new GroupedWrites((group) => definitely(() => held.hold(group.map(({ opening }) => opening))));
  }

  get failing(): boolean {
    return this.writes.failing;
  }

  /** @param bytes about how large it is @throws UnavailableError when the log gives no definite answer in time */
  hold(stream: string, event: EventToAppend, bytes: number): Promise<void> {
    return this.writes.add({ opening: { ...event, stream }, bytes });
  }
}
