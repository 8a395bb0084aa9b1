import type { Schema } from '../../api/client.js';

type Event = Schema['EventRecord'];

/** Fewer events of one kind after each other stand by themselves. */
const MIN_RUN = 3;

/** Parts a list of events into those that stand by themselves, and runs of one type by one actor, such as calls. */
export function runsIn(events: readonly Event[]): readonly (readonly Event[])[] {
  const runs: Event[][] = [];
  for (const event of events) {
    const last = runs.at(-1);
    if (last && last[0]!.type === event.type && last[0]!.actor === event.actor) last.push(event);
    else runs.push([event]);
  }
  return runs.flatMap((run) => (run.length < MIN_RUN ? run.map((event) => [event]) : [run]));
}
