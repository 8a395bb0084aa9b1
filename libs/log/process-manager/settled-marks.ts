import { ABSENT, type Coordination } from '#ports/coordination/port.js';
import type { EventReader, Position } from '#ports/event-store/port.js';
import type { Mark } from './process-manager.js';

const keyOf = (manager: string): string => `settled:${manager}`;

/**
 * Keeps in coordination, by process manager, up to where nothing is pending any more. A mark counts only where the log has its
 * event: that of a log which was restored or moved since does not.
 */
export class SettledMarks {
  constructor(
    private readonly coordination: Pick<Coordination, 'get' | 'compareAndSet'>,
    private readonly log: Pick<EventReader, 'eventAt'>,
  ) {}

  /** The earliest mark of these managers; null, the start of the log, if one of them has none. */
  async earliest(managers: readonly string[]): Promise<Position | null> {
    const positions = await Promise.all(managers.map((manager) => this.read(manager)));
    const known = positions.filter((position) => position !== null);
    return known.length < positions.length ? null : (known.toSorted()[0] ?? null);
  }

  /** An older mark than the one that is kept is as true: it only has the next leader read more. */
  async keep(marks: ReadonlyMap<string, Mark>): Promise<void> {
    for (const [manager, { position, id }] of marks) {
      const entry = await this.coordination.get(keyOf(manager));
      const expected = entry ? ({ kind: 'version', version: entry.version } as const) : ABSENT;
      await this.coordination.compareAndSet(keyOf(manager), expected, { position, id });
    }
  }

  private async read(manager: string): Promise<Position | null> {
    const mark = (await this.coordination.get(keyOf(manager)))?.value as Mark | undefined;
    return mark && (await this.isThere(mark)) ? mark.position : null;
  }

  private async isThere({ position, id }: Mark): Promise<boolean> {
    try {
      return (await this.log.eventAt(position))?.id === id;
    } catch (error) {
      // A place of another log.
      if (error instanceof RangeError) return false;
      throw error;
    }
  }
}
