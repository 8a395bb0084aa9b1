import { writeFile } from 'node:fs/promises';
import type { Bus } from '#ports/bus/port.js';
import type { StoredFolder, TrainingJobEvent, TrainingRequest } from '#domain/training-job/index.js';
import { eventually } from '#test/support/eventually.js';
import { needsOfTraining } from './contract/needs.js';
import { claimSubject } from './contract/work.js';
import type { Watch } from './work/watchdog.js';
import { openRunnerBench, type RunnerBench } from '#test/support/runner-bench.js';

const rows = Array.from({ length: 20 }, (_, row) => `row ${row}`);
const only = (events: readonly { readonly type: string }[], type: string) =>
  events.filter((event) => event.type === type) as unknown as readonly TrainingJobEvent[];

/** The weights of jobs whose rows direct the engine otherwise: the file of trained texts tells these rows. */
const weightsOf = ({ files }: StoredFolder) => files.filter(({ name }) => name === 'weights.txt');

describe('a runner', () => {
  let bench: RunnerBench;
  beforeEach(async () => {
    bench = await openRunnerBench();
  });
  afterEach(() => bench.close());

  const job = (id: string) => bench.events('job', id);
  const artifactOf = async (id: string) => {
    const { data } = (await bench.until('training-job-completed.v1', id)) as unknown as Extract<
      TrainingJobEvent,
      { type: 'training-job-completed.v1' }
    >;
    return data.artifact;
  };

  it('claims an attempt, trains in a separate process, and stores the reported files', async () => {
    bench.startRunner();
    await bench.requestJob('j1', rows);
    await bench.offer('training', 'j1', 1);
    const artifact = await artifactOf('j1');
    const events = await job('j1');
    expect(events[1]!.type).toBe('training-attempt-claimed.v1');
    expect(only(events, 'training-epoch-completed.v1')).toHaveLength(3);
    expect(only(events, 'training-checkpoint-saved.v1')).toHaveLength(3);
    expect(events.at(-1)!.type).toBe('training-job-completed.v1');
    expect(artifact.objectPrefix).toBe('jobs/j1/1/artifact');
    expect(artifact.files.map(({ name }) => name)).toEqual(['README.md', 'trained_texts.bin', 'weights.txt']);
    expect(await bench.objectStore.stat('jobs/j1/1/artifact/weights.txt')).toMatchObject({
      size: artifact.files[2]!.size,
    });
    const lines = (await bench.events('joblog', 'j1')).flatMap(({ data }) => data['lines'] as { message: string }[]);
    expect(lines.map(({ message }) => message)).toContain('Training on 18 rows, 2 held out for validation');
  });

  it("keeps a checkpoint's state only while it may be needed", async () => {
    const gate = bench.newFile();
    bench.startRunner();
    await bench.requestJob('j1', [...rows, `wait 3 ${gate}`]);
    await bench.offer('training', 'j1', 1);
    await untilCheckpoint('j1', 2);
    const kept = async () => {
      const objects = await Array.fromAsync(bench.objectStore.list('jobs/j1'));
      return objects.map(({ key }) => key).filter((key) => /training_state/.test(key));
    };
    await eventually(kept, ({ length }) => length === 1);
    expect(await kept()).toEqual(['jobs/j1/1/checkpoints/20/training_state.json']);
    await writeFile(gate, '');
    await artifactOf('j1');
    await eventually(kept, ({ length }) => length === 0);
    const weights = await Array.fromAsync(bench.objectStore.list('jobs/j1/1/checkpoints'));
    expect(weights).toHaveLength(6);
  });

  it('resumes from the last checkpoint of a killed attempt', async () => {
    const gate = bench.newFile();
    const runner = bench.startRunner();
    await bench.requestJob('killed', [...rows, `wait 3 ${gate}`]);
    await bench.offer('training', 'killed', 1);
    await untilCheckpoint('killed', 2);
    process.kill(runner.processes().get('killed')!, 'SIGKILL');
    await bench.until('training-attempt-lost.v2', 'killed');
    await writeFile(gate, '');
    await bench.offer('training', 'killed', 2);
    await artifactOf('killed');
    const events = await job('killed');
    expect(only(events, 'training-epoch-completed.v1').map(({ data }) => data)).toMatchObject([
      { attempt: 1, epoch: 1 },
      { attempt: 1, epoch: 2 },
      { attempt: 2, epoch: 3 },
    ]);
  });

  it('waits while the disk is full within one attempt, and resumes from the last checkpoint', async () => {
    const [none, room] = [bench.newFile(), bench.newFile()];
    await writeFile(none, '');
    bench.startRunner();
    await bench.requestJob('whole', [...rows, `full 2 ${none}`]);
    await bench.offer('training', 'whole', 1);
    const expected = await artifactOf('whole');

    await bench.requestJob('j1', [...rows, `full 2 ${room}`]);
    await bench.offer('training', 'j1', 1);
    const { data } = await bench.until('job-log-appended.v1', 'j1', ({ data: { lines } }) =>
      /waiting until/.test(JSON.stringify(lines)),
    );
    expect(JSON.stringify(data)).toContain("There is no room left on the runner's disk; waiting until there is some");
    await writeFile(room, '');
    expect(weightsOf(await artifactOf('j1'))).toEqual(weightsOf(expected));
    const events = await job('j1');
    expect(only(events, 'training-attempt-lost.v2')).toEqual([]);
    expect(only(events, 'training-attempt-claimed.v1')).toHaveLength(1);
    expect(only(events, 'training-epoch-completed.v1').map(({ data }) => data)).toMatchObject([
      { epoch: 1 },
      { epoch: 2 },
      { epoch: 3 },
    ]);
  });

  it('does not count a process against the job that ended with the whole system (SIGTERM)', async () => {
    const gate = bench.newFile();
    const runner = bench.startRunner();
    await bench.requestJob('j1', [...rows, `wait 2 ${gate}`]);
    await bench.offer('training', 'j1', 1);
    await untilCheckpoint('j1', 1);
    process.kill(runner.processes().get('j1')!, 'SIGTERM');
    const { data } = await bench.until('training-attempt-lost.v2', 'j1');
    expect(data).toMatchObject({ cause: 'runner' });
  });

  it('makes the same file, killed or not', async () => {
    const [open, gate] = [bench.newFile(), bench.newFile()];
    await writeFile(open, '');
    const runner = bench.startRunner();
    await bench.requestJob('whole', [...rows, `wait 2 ${open}`]);
    await bench.offer('training', 'whole', 1);
    const expected = await artifactOf('whole');

    await bench.requestJob('killed', [...rows, `wait 2 ${gate}`]);
    await bench.offer('training', 'killed', 1);
    await untilCheckpoint('killed', 1);
    process.kill(runner.processes().get('killed')!, 'SIGKILL');
    await bench.until('training-attempt-lost.v2', 'killed');
    await writeFile(gate, '');
    await bench.offer('training', 'killed', 2);
    expect(weightsOf(await artifactOf('killed'))).toEqual(weightsOf(expected));
  });

  it('kills a hanging process, but not one that works as long, and resumes from the last checkpoint', async () => {
    const [gate, end] = [bench.newFile(), bench.newFile()];
    const watched = new Set<{ silent: number; readonly onSilence: () => void }>();
    // Instead of seconds, words of the other process pass, from when the one hangs.
    let timePasses = false;
    const watch: Watch = (_, onSilence) => {
      const own = { silent: 0, onSilence };
      watched.add(own);
      return {
        heard() {
          own.silent = 0;
          if (!timePasses) return;
          for (const other of watched) if (other !== own && (other.silent += 1) === 3) other.onSilence();
        },
        stop: () => watched.delete(own),
      };
    };
    bench.startRunner({ silenceMs: 3_000, watch, capacity: { training: 2, evaluation: 1, export: 1 } });
    await bench.requestJob('busy', [...rows, `work 2 ${end}`]);
    await bench.offer('training', 'busy', 1);
    await untilCheckpoint('busy', 1);
    await bench.requestJob('hung', [...rows, `hang 2 ${gate}`]);
    await bench.offer('training', 'hung', 1);
    await bench.until('training-epoch-completed.v1', 'hung');
    timePasses = true;
    const { data } = await bench.until('training-attempt-lost.v2', 'hung');
    timePasses = false;
    expect(data).toMatchObject({ reason: 'the training process made no progress for 3 s', cause: 'child' });
    await Promise.all([writeFile(gate, ''), writeFile(end, '')]);
    await bench.offer('training', 'hung', 2);
    await artifactOf('hung');
    expect(only(await job('hung'), 'training-epoch-completed.v1').map(({ data }) => data)).toMatchObject([
      { attempt: 1, epoch: 1 },
      { attempt: 2, epoch: 2 },
      { attempt: 2, epoch: 3 },
    ]);
    await artifactOf('busy');
    expect(only(await job('busy'), 'training-attempt-lost.v2')).toEqual([]);
  });

  it('runs a small training beside another, and no second one', async () => {
    const gates = [bench.newFile(), bench.newFile()] as const;
    const runner = bench.startRunner();
    await bench.requestJob('long', [...rows, `wait 2 ${gates[0]}`]);
    await bench.offer('training', 'long', 1);
    await untilCheckpoint('long', 1);
    await bench.requestJob('small', [...rows, `wait 2 ${gates[1]}`]);
    const [requested] = only(await job('small'), 'training-job-requested.v1');
    const needs = needsOfTraining(requested!.data as TrainingRequest);
    await bench.offer('training', 'small', 1, { needs });
    await untilCheckpoint('small', 1);
    expect(runner.figures()['training']).toEqual({ running: 2, room: 1 });
    await bench.requestJob('second', rows);
    await bench.offer('training', 'second', 1, { needs });
    await writeFile(gates[1], '');
    await artifactOf('small');
    await artifactOf('second');
    expect(only(await job('long'), 'training-job-completed.v1')).toEqual([]);
    await writeFile(gates[0], '');
    await artifactOf('long');
  });

  it('is the only one to work on a job, however often it is offered', async () => {
    bench.startRunner();
    bench.startRunner();
    await bench.requestJob('j1', rows);
    await Promise.all([1, 2, 3, 4].map((copy) => bench.offer('training', 'j1', 1, { offerId: `copy ${copy}` })));
    await artifactOf('j1');
    const events = await job('j1');
    expect(only(events, 'training-attempt-claimed.v1')).toHaveLength(1);
    expect(only(events, 'training-job-completed.v1')).toHaveLength(1);
  });

  it('completes nothing for an attempt that was given up, and the next one completes', async () => {
    const gate = bench.newFile();
    bench.startRunner();
    bench.startRunner();
    await bench.requestJob('j1', [...rows, `wait 2 ${gate}`]);
    await bench.offer('training', 'j1', 1);
    await untilCheckpoint('j1', 1);
    await lose('j1', 1);
    await bench.offer('training', 'j1', 2);
    await bench.until('training-attempt-claimed.v1', 'j1');
    await writeFile(gate, '');
    await artifactOf('j1');
    const events = await job('j1');
    expect(only(events, 'training-job-completed.v1').map(({ data }) => data)).toMatchObject([{ attempt: 2 }]);
    const after = events.slice(events.findIndex(({ type }) => type === 'training-attempt-lost.v2'));
    expect(after.filter(({ data }) => data['attempt'] === 1 && data['epoch'] !== undefined)).toEqual([]);
  });

  it('stops when the job is cancelled, and later reports change nothing', async () => {
    const gate = bench.newFile();
    const runner = bench.startRunner();
    await bench.requestJob('j1', [...rows, `wait 2 ${gate}`]);
    await bench.offer('training', 'j1', 1);
    await untilCheckpoint('j1', 1);
    await bench.stop('j1');
    bench.cancel('j1', 1);
    await writeFile(gate, '');
    await runner.close();
    const types = (await job('j1')).map(({ type }) => type);
    expect(types).toContain('training-job-cancelled.v1');
    expect(types).not.toContain('training-job-completed.v1');
    expect(types).not.toContain('training-attempt-lost.v2');
  });

  it('stops a cancelled job at its next report if no signal reached it', async () => {
    const gate = bench.newFile();
    const runner = bench.startRunner();
    await bench.requestJob('j1', [...rows, `wait 2 ${gate}`], 50);
    await bench.offer('training', 'j1', 1);
    await untilCheckpoint('j1', 1);
    await bench.stop('j1');
    await writeFile(gate, '');
    await eventually(() => runner.processes().size === 0);
    const epochs = only(await job('j1'), 'training-epoch-completed.v1');
    expect(epochs).toHaveLength(1);
  });

  it('tells the user why a job cannot succeed', async () => {
    bench.startRunner();
    await bench.requestJob('j1', ['fail 1', 'fail 2', 'fail 3']);
    await bench.offer('training', 'j1', 1);
    const { data } = await bench.until('training-job-failed.v1', 'j1');
    expect(data['reason']).toBe('The rows say nothing.');
  });

  it('loses the attempt of a process that ends without a report', async () => {
    bench.startRunner();
    await bench.requestJob('j1', ['crash 1', 'crash 2', 'crash 3']);
    await bench.offer('training', 'j1', 1);
    const { data } = await bench.until('training-attempt-lost.v2', 'j1');
    expect(data).toMatchObject({ reason: 'the training process ended with exit code 7', cause: 'child' });
  });

  it('refuses rows that differ from the pinned ones', async () => {
    bench.startRunner();
    await bench.requestJob('j1', rows);
    await bench.objectStore.put('datasets/rows-1.jsonl', Buffer.from('{"text":"other","entities":[]}\n'));
    await bench.offer('training', 'j1', 1);
    const { data } = await bench.until('training-job-failed.v1', 'j1');
    expect(data['reason']).toMatch(/rows of dataset "d" version 1 are damaged/);
  });

  it('returns its attempts when it is closed', async () => {
    const gate = bench.newFile();
    const runner = bench.startRunner();
    await bench.requestJob('j1', [...rows, `wait 2 ${gate}`]);
    await bench.offer('training', 'j1', 1);
    await untilCheckpoint('j1', 1);
    await runner.close();
    const { data } = await bench.until('training-attempt-lost.v2', 'j1');
    expect(data).toMatchObject({ attempt: 1, cause: 'runner' });
    expect(runner.processes().size).toBe(0);
  });

  it('returns them at once, even if a claim is still waiting for its answer', async () => {
    const [claimed, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const call: Bus['call'] = async function* (subject, body, options) {
      if (subject === claimSubject('evaluation')) {
        claimed.resolve();
        await answered.promise;
      }
      yield* bench.bus.call(subject, body, options);
    };
    const runner = bench.startRunner({ bus: Object.assign(Object.create(bench.bus) as Bus, { call }) });
    await bench.requestJob('j1', [...rows, `wait 2 ${bench.newFile()}`]);
    await bench.offer('training', 'j1', 1);
    await untilCheckpoint('j1', 1);
    await bench.requestEvaluation('e1', rows);
    await bench.offer('evaluation', 'e1', 1);
    await claimed.promise;
    const closed = runner.close();
    const { data } = await bench.until('training-attempt-lost.v2', 'j1');
    expect(data).toMatchObject({ attempt: 1, cause: 'runner' });
    answered.resolve();
    await closed;
    const given = await bench.until('evaluation-attempt-lost.v1', 'e1');
    expect(given.data).toMatchObject({ attempt: 1 });
    expect(runner.processes().size).toBe(0);
  });

  it('evaluates, and stores the predictions under the hash in the event', async () => {
    bench.startRunner();
    await bench.requestEvaluation('e1', rows);
    await bench.offer('evaluation', 'e1', 1);
    const { data } = await bench.until('evaluation-completed.v1', 'e1');
    expect(data).toMatchObject({ attempt: 1, sampleCount: 20, metrics: { f1: 1 } });
    const { objectKey, size } = data['predictions'] as { objectKey: string; size: number };
    const content = Buffer.concat(await Array.fromAsync(await bench.objectStore.get(objectKey)));
    expect(content.length).toBe(size);
    const [first] = content.toString().split('\n');
    expect(JSON.parse(first!)).toEqual({
      text: 'row 0',
      expected: { entities: [] },
      predicted: { entities: [] },
      correct: true,
    });
  });

  it("evaluates with any version of the engine, and trains only with the job's pinned one", async () => {
    bench.startRunner({ engines: [{ ...bench.engine, version: '2' }] });
    await bench.requestEvaluation('e1', rows);
    await bench.offer('evaluation', 'e1', 1);
    const { data } = await bench.until('evaluation-completed.v1', 'e1');
    expect(data).toMatchObject({ attempt: 1, sampleCount: 20 });
    await bench.requestJob('j1', rows);
    await bench.offer('training', 'j1', 1);
    const failed = await bench.until('training-job-failed.v1', 'j1');
    expect(failed.data['reason']).toBe(
      'This was asked of engine tiny 1, but the runner has tiny 2. Start it again as a new one.',
    );
  });

  const untilCheckpoint = (id: string, epoch: number) =>
    bench.until('training-checkpoint-saved.v1', id, ({ data }) => data['epoch'] === epoch);

  const lose = (jobId: string, attempt: number) => bench.lose(jobId, attempt);
});
