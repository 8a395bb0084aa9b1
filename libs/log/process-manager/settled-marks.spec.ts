import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coordinationService, openSqliteCoordination } from '#ports/coordination/sqlite/index.js';
import { NO_STREAM, type RecordedEvent } from '#ports/event-store/port.js';
import { openSqliteEventStore, type SqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { startThread, type Thread } from '#primitives/thread/thread.js';
import { SettledMarks } from './settled-marks.js';

describe('the marks of what is settled', () => {
  let directory: string;
  let log: SqliteEventStore;
  let thread: Thread;
  let marks: SettledMarks;
  let events: readonly RecordedEvent[];
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'settled-'));
    log = await openSqliteEventStore({ directory, durability: 'normal' });
    thread = await startThread([coordinationService({ directory, durability: 'normal' })]);
    marks = new SettledMarks(openSqliteCoordination({ directory, thread }), log);
    for (const n of [1, 2]) {
      const id = `00000000-0000-4000-8000-00000000000${n}`;
      const ids = { correlationId: id, causationId: id, commandId: id };
      const metadata = { workspaceId: 'w', actor: 'user:u', occurredAt: new Date().toISOString(), ...ids };
      await log.append(`thing-${n}`, NO_STREAM, [{ id, type: 'seen.v1', data: {}, metadata }]);
    }
    events = await Array.fromAsync(log.readAll());
  });
  afterEach(async () => {
    await thread.close();
    await log.close();
    await rm(directory, { recursive: true });
  });

  const keep = (manager: string, { position, id }: { readonly position: string; readonly id: string }) =>
    marks.keep(new Map([[manager, { position, id }]]));

  it('are kept by manager, the newest one, and give the earliest place of several', async () => {
    await keep('calls', events[0]!);
    await keep('calls', events[1]!);
    await keep('others', events[0]!);
    expect(await marks.earliest(['calls'])).toBe(events[1]!.position);
    expect(await marks.earliest(['calls', 'others'])).toBe(events[0]!.position);
  });

  it('give the start of the log to managers of which one has none', async () => {
    await keep('calls', events[0]!);
    expect(await marks.earliest(['calls', 'another'])).toBeNull();
  });

  it('count only where the log has the event of which they tell', async () => {
    await keep('calls', { ...events[1]!, id: events[0]!.id });
    expect(await marks.earliest(['calls'])).toBeNull();
    await keep('calls', { ...events[1]!, position: 'of another log' });
    expect(await marks.earliest(['calls'])).toBeNull();
  });
});
