import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_WORK, OPEN_TRAINING, type OpenWork } from '#use-cases/attempts/dispatch/open-work.js';
import { systemContext } from '#log/context.js';
import { envelope, Executor } from '#log/execute.js';
import { trainingJobDecider, type TrainingJobEvent } from '#domain/training-job/index.js';
import { expectedAfter, type EventStore, type RecordedEvent } from '#ports/event-store/port.js';
import { openSqliteEventStore, type SqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { upcastingStore } from '#ports/event-store/upcasting.js';
import { ProcessManagerHost } from '#log/process-manager/host.js';
import type { ProcessManager } from '#log/process-manager/process-manager.js';
import { goldenEvents } from './events.js';

/** A job that lost five attempts: the first three in the older shape of a loss, the others in the newest. */
const JOB = '0190b6a0-0000-7000-8000-000000000e01';
const STREAM = `job-${JOB}`;
const story = goldenEvents.filter(({ stream }) => stream === STREAM);
const LOST = 'training-attempt-lost.v2';
const CAUSES = ['runner', 'storage', 'child', 'child', 'runner'];

describe('a stream with two versions of an event', () => {
  let directory: string;
  let stored: SqliteEventStore;
  let log: EventStore;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'versions-'));
    stored = await openSqliteEventStore({ directory, durability: 'normal' });
    log = upcastingStore(stored);
  });
  afterEach(async () => {
    await log.close();
    await rm(directory, { recursive: true });
  });

  async function appendStory(): Promise<void> {
    for (const [at, event] of story.entries())
      await log.append(STREAM, expectedAfter(at - 1), [envelope(STREAM, event, at, systemContext('test', 'w1'))]);
  }
  const causes = (events: readonly RecordedEvent[]) => events.map(({ type, data }) => [type, data['cause']]);
  const expected = CAUSES.map((cause) => [LOST, cause]);

  it('folds into one state', async () => {
    await appendStory();
    const state = await new Executor(log).load(trainingJobDecider, JOB);
    expect(state).toMatchObject({ status: 'running', attempt: 6, runnerId: null, lostInVain: 2 });
  });

  it('is found by the newest type name, forwards, backwards and at a position', async () => {
    await appendStory();
    const filter = { types: [LOST] };
    const losses = await Array.fromAsync(log.readAll({ filter }));
    expect(causes(losses)).toEqual(expected);
    expect(causes(await Array.fromAsync(log.readAll({ direction: 'backwards', filter })))).toEqual(
      expected.toReversed(),
    );
    expect(await log.eventAt(losses[0]!.position)).toEqual(losses[0]);
  });

  it.each(['history', 'live events'])('reaches a subscription as %s of the newest type', async (when) => {
    const closing = new AbortController();
    if (when === 'history') await appendStory();
    const found: RecordedEvent[] = [];
    for await (const message of log.subscribe({ after: null, filter: { types: [LOST] }, signal: closing.signal })) {
      if (message.kind === 'caught-up' && when === 'live events') void appendStory();
      if (message.kind === 'events') found.push(...message.events);
      if (found.length === CAUSES.length) closing.abort();
    }
    expect(causes(found)).toEqual(expected);
  });

  it('is completely visible to a process manager', async () => {
    await appendStory();
    const seen = Promise.withResolvers<OpenWork>();
    const manager: ProcessManager<OpenWork, string, TrainingJobEvent> = {
      ...{ name: 'open-work', initial: NO_WORK, on: OPEN_TRAINING, key: String },
      pending: (open) => (seen.resolve(open), []),
      execute: () => Promise.resolve(),
    };
    const host = new ProcessManagerHost({ eventStore: log, managers: [manager] }).start();
    expect((await seen.promise).items.get(JOB)).toMatchObject({ attempt: 6, runnerId: null });
    expect(host.status()).toMatchObject([{ state: 'live', error: null }]);
    await host.close();
  });

  it('stays on disk as stored, with valid checksums', async () => {
    await appendStory();
    await Array.fromAsync(log.readStream(STREAM));
    const kept = await Array.fromAsync(stored.readStream(STREAM));
    expect(kept.map(({ type, data }) => ({ stream: STREAM, type, data }))).toEqual(story);
    const checked = await Array.fromAsync(log.check({ signal: AbortSignal.timeout(300_000) }));
    expect(checked.filter(({ kind }) => kind !== 'progress')).toMatchObject([{ kind: 'checked', unchecked: 0 }]);
  });
});
