import { randomUUID } from 'node:crypto';
import { expectedAfter, type EventToAppend } from '#ports/event-store/port.js';
import { openSqliteEventStore } from '#ports/event-store/sqlite/index.js';

/**
 * `node full-disk.js <folder>`, to be run where files cannot grow for ever: appends until the log takes no more, and goes
 * on trying. Prints what came of it, as JSON.
 */
export interface FullDiskReport {
  /** Ids that were acknowledged. */
  readonly stored: readonly string[];
  /** Ids that were definitely not stored. */
  readonly refused: readonly string[];
  /** Names of the errors seen, in the order in which they were first seen. */
  readonly errors: readonly string[];
  /** Events that could still be read after it. */
  readonly readable: number;
}

const TURNS = 60;
const CALLERS = 4;

if (process.argv[2]) {
  const store = await openSqliteEventStore({ directory: process.argv[2] });
  const stored: string[] = [];
  const refused: string[] = [];
  const errors = new Set<string>();
  const revisions = Array.from({ length: CALLERS }, () => -1);
  const append = async (caller: number) => {
    const event = largeEvent();
    try {
      const { revision } = await store.append(`full-${caller}`, expectedAfter(revisions[caller]!), [event]);
      revisions[caller] = revision;
      stored.push(event.id);
    } catch (error) {
      const { name } = error as Error;
      errors.add(name);
      if (name === 'EventStoreUnavailableError') refused.push(event.id);
    }
  };
  for (let turn = 0; turn < TURNS; turn += 1) await Promise.all(revisions.map((_, caller) => append(caller)));
  let readable = 0;
  for await (const _ of store.readAll({ filter: { categories: ['full'] } })) readable += 1;
  const report: FullDiskReport = { stored, refused, errors: [...errors], readable };
  console.log(JSON.stringify(report));
  await store.close();
}

function largeEvent(): EventToAppend {
  const id = randomUUID();
  const occurredAt = new Date().toISOString();
  return {
    id,
    type: 'filled.v1',
    data: { text: 'x'.repeat(20_000) },
    metadata: {
      workspaceId: null,
      actor: 'system:full',
      correlationId: id,
      causationId: id,
      commandId: id,
      occurredAt,
    },
  };
}
