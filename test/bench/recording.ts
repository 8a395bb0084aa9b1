import { InProcessBus } from '#ports/bus/in-process/in-process-bus.js';
import { CallRecorder } from '#calls/recording/call-recorder.js';
import { DocumentFolding } from '#log/projector/folding.js';
import { HandledTypes } from '#log/projector/handled-types.js';
import type { EventToAppend } from '#ports/event-store/port.js';
import { projections } from '#projections/index.js';
import { record, WAYS, type Way } from './recorded-call.js';
import { median } from './quantile.js';
import { scaled } from './size.js';

/**
 * `node dist/test/bench/recording.js`: what recording a call costs by how its model was called, in CPU of this thread: its events made,
 * written as JSON, and folded by every read model. Neither the log nor the read store is written. The ways are taken in turns, so that
 * other work on the machine slows all of them alike.
 */

/** Calls that are answered together share an append. */
const MAX_AT_ONCE = 8;
const CALLS = MAX_AT_ONCE * scaled(100);
const ROUNDS = scaled(48, 6);
const times = new Map<Way, number[]>(WAYS.map((way) => [way, []]));
for (let round = 0; round < ROUNDS; round += 1)
  for (let turn = 0; turn < WAYS.length; turn += 1) {
    const way = WAYS[(round + turn) % WAYS.length]!;
    const microseconds = await measured(way);
    if (round >= ROUNDS / 6) times.get(way)!.push(microseconds);
  }
const medians = WAYS.map((way) => [way, median(times.get(way)!)] as const);
const [[, plain]] = medians as unknown as [[Way, number]];
console.table(
  Object.fromEntries(
    medians.map(([way, us]) => [
      way,
      { 'us a call': us.toFixed(1), more: (us - plain).toFixed(1), ratio: (us / plain).toFixed(2) },
    ]),
  ),
);

/** CPU microseconds of a call. */
async function measured(way: Way): Promise<number> {
  const events: EventToAppend[] = [];
  const eventStore = {
    append: (_stream: string, _expected: unknown, appended: readonly EventToAppend[]) => {
      events.push(...appended);
      for (const event of appended) JSON.stringify(event);
      return Promise.resolve({ revision: events.length, position: '' });
    },
  };
  const ports = { eventStore, bus: new InProcessBus() } as unknown as ConstructorParameters<typeof CallRecorder>[0];
  const recorder = new CallRecorder(ports, () => 'mac');
  const before = process.cpuUsage();
  for (let group = 0; group < CALLS / MAX_AT_ONCE; group += 1)
    await Promise.all(Array.from({ length: MAX_AT_ONCE }, () => record(recorder, way)));
  await folded(events);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS;
}

async function folded(events: readonly EventToAppend[]): Promise<void> {
  const recorded = events.map((event, index) => ({
    ...event,
    stream: 's',
    revision: index,
    position: String(index + 1).padStart(16, '0'),
  }));
  for (const projection of projections) {
    const handled = new HandledTypes(projection.on);
    const folding = new DocumentFolding(projection, handled, {
      load: async () => new Map(),
      counters: async () => new Map(),
    });
    const { writes } = await folding.fold(recorded, null);
    for (const { document } of writes) JSON.stringify(document);
  }
}
