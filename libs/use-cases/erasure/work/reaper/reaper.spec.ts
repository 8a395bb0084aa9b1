import { writeFile } from 'node:fs/promises';
import { systemContext } from '#log/context.js';
import { batchDecider } from '#domain/batch/index.js';
import { erasureDecider } from '#domain/erasure/index.js';
import { evaluationDecider } from '#domain/evaluation/index.js';
import { jobLogDecider } from '#domain/job-log/index.js';
import { trainingJobDecider } from '#domain/training-job/index.js';
import { ObjectStoreUnavailableError } from '#ports/object-store/port.js';
import { ProcessManagerHost } from '#log/process-manager/host.js';
import { openRunnerBench, type RunnerBench } from '#test/support/runner-bench.js';
import { sweep as sweepAll } from './sweeps.js';
import { evolve } from '#log/projector/handlers.js';
import { eventually } from '#test/support/eventually.js';
import { reaper, SETTLED_MS } from './process-manager.js';

const rows = Array.from({ length: 10 }, (_, row) => `row ${row}`);

describe('the reaper', () => {
  let bench: RunnerBench;
  let later: number;
  beforeEach(async () => {
    bench = await openRunnerBench();
    later = 0;
  });
  afterEach(() => bench.close());

  const context = () => systemContext('test', 'w1');
  const deleteJob = (jobId: string) =>
    bench.application.execute(
      trainingJobDecider,
      jobId,
      { type: 'delete-training-job', jobId, workspaceId: 'w1' },
      context(),
    );
  const objects = async (prefix: string) =>
    (await Array.fromAsync(bench.objectStore.list(prefix))).map(({ key }) => key);
  const types = async (category: 'job' | 'evaluation', id: string) =>
    (await bench.events(category, id)).map(({ type }) => type);
  /** Runs a leader that starts now, and returns what it did. */
  const sweep = async (): Promise<readonly string[]> => {
    const manager = reaper(bench.application, () => Date.now() + later);
    let state = manager.initial;
    for (const id of ['j1', 'j2'])
      for (const event of await bench.events('job', id)) state = evolve(manager.on, state, event);
    for (const event of await bench.events('evaluation', 'e1')) state = evolve(manager.on, state, event);
    const pending = manager.pending(state, Date.now() + later);
    for (const command of pending) await manager.execute(command, AbortSignal.timeout(300_000));
    return pending.map((command) => manager.key(command));
  };
  const appendLog = (jobId: string) =>
    bench.application.execute(
      jobLogDecider,
      jobId,
      {
        type: 'append-job-log',
        jobId,
        attempt: 1,
        block: 1,
        lines: [{ timestamp: '2030-01-01T00:00:00.000Z', level: 'info', message: 'm', source: 'training' }],
      },
      context(),
    );

  it('empties the folder and the log of a deleted job, and of no other', async () => {
    for (const id of ['j1', 'j2']) {
      await bench.requestJob(id, rows);
      await bench.objectStore.put(`jobs/${id}/1/artifact/weights`, Buffer.from(id));
      await appendLog(id);
    }
    await deleteJob('j1');
    expect(await sweep()).toEqual(['job/j1']);
    expect([await objects('jobs/'), await bench.events('joblog', 'j1')]).toEqual([['jobs/j2/1/artifact/weights'], []]);
    expect(await bench.events('joblog', 'j2')).toHaveLength(1);
  });

  it('sweeps until nothing new has come for two minutes, and then stops for good', async () => {
    await bench.requestJob('j1', rows);
    await deleteJob('j1');
    await sweep();
    expect(await types('job', 'j1')).not.toContain('training-job-erased.v1');
    await bench.objectStore.put('jobs/j1/1/checkpoints/9/weights', Buffer.from('late'));
    later = SETTLED_MS;
    await sweep();
    expect([await objects('jobs/'), (await types('job', 'j1')).at(-1)]).toEqual([[], 'training-job-deleted.v1']);
    await sweep();
    expect((await types('job', 'j1')).at(-1)).toBe('training-job-erased.v1');
    expect(await sweep()).toEqual([]);
  });

  it('starts again after another leader was cut off', async () => {
    await bench.requestJob('j1', rows);
    await bench.objectStore.put('jobs/j1/1/artifact/weights', Buffer.from('w'));
    await appendLog('j1');
    await deleteJob('j1');
    const deletePrefix = bench.objectStore.deletePrefix.bind(bench.objectStore);
    bench.objectStore.deletePrefix = () => Promise.reject(new ObjectStoreUnavailableError('away'));
    await expect(sweep()).rejects.toThrow('away');
    bench.objectStore.deletePrefix = deletePrefix;
    await sweep();
    expect([await objects('jobs/'), await bench.events('joblog', 'j1')]).toEqual([[], []]);
  });

  it('removes the predictions of a deleted evaluation', async () => {
    await bench.requestEvaluation('e1', rows);
    await bench.objectStore.put('evaluations/e1/1/predictions.jsonl', Buffer.from('{}'));
    const command = { type: 'delete-evaluation', evaluationId: 'e1', workspaceId: 'w1' } as const;
    await bench.application.execute(evaluationDecider, 'e1', command, context());
    await sweep();
    expect(await objects('evaluations/')).toEqual([]);
    later = SETTLED_MS;
    await sweep();
    expect((await types('evaluation', 'e1')).at(-1)).toBe('evaluation-erased.v1');
    expect(await sweep()).toEqual([]);
  });

  it('removes files that a runner stores after the deletion when it reports them', async () => {
    const gate = bench.newFile();
    const runner = bench.startRunner();
    await bench.requestJob('j1', [...rows, `wait 2 ${gate}`]);
    await bench.offer('training', 'j1', 1);
    await bench.until('training-checkpoint-saved.v1', 'j1');
    await deleteJob('j1');
    await sweep();
    later = SETTLED_MS;
    await sweep();
    expect((await types('job', 'j1')).at(-1)).toBe('training-job-erased.v1');
    // The runner has not heard of the deletion: it stores checkpoints, and learns of it from the answer to its report.
    await writeFile(gate, '');
    await eventually(() => runner.processes().size === 0);
    expect([await objects('jobs/j1/'), await bench.events('joblog', 'j1')]).toEqual([[], []]);
  });

  it('finds the files of a runner that died before reporting them, and touches nothing else', async () => {
    for (const id of ['j1', 'j2']) await bench.requestJob(id, rows);
    await deleteJob('j1');
    for (const id of ['j1', 'j2', 'unknown'])
      await bench.objectStore.put(`jobs/${id}/1/checkpoints/9/weights`, Buffer.from(id));
    await sweepAll(bench.application, AbortSignal.timeout(300_000));
    expect(await objects('jobs/')).toEqual(['jobs/j2/1/checkpoints/9/weights', 'jobs/unknown/1/checkpoints/9/weights']);
  });

  it('removes the answers of an ended batch, and no others', async () => {
    for (const batchId of ['b1', 'b2']) {
      const request = {
        ...({ type: 'request-batch', batchId, workspaceId: 'w1', endpoint: '/v1/embeddings' } as const),
        requestedBy: { kind: 'key', userId: 'u1', teamId: 't1', keyId: 'k1' },
        input: { versionId: 'v1', source: { key: 'in', size: 1, sha256: 'a'.repeat(64) } },
        ...{ requests: 1, metadata: null, expiresAt: '2999-01-01T00:00:00.000Z' },
      } as const;
      await bench.application.execute(batchDecider, batchId, request, context());
    }
    const ended = { outcome: 'cancelled', error: null, completed: 0, failed: 0 } as const;
    const end = { type: 'end-batch', batchId: 'b1', ...ended, outputVersionId: null, errorVersionId: null } as const;
    await bench.application.execute(batchDecider, 'b1', end, context());
    for (const id of ['b1', 'b2', 'unknown'])
      await bench.objectStore.put(`batches/${id}/lines/1.jsonl`, Buffer.from('{}'));
    await sweepAll(bench.application, new AbortController().signal);
    expect(await objects('batches/')).toEqual(['batches/b2/lines/1.jsonl', 'batches/unknown/lines/1.jsonl']);
  });

  it('removes the contents of erased calls, and no others', async () => {
    for (const id of ['i1', 'i2']) await bench.objectStore.put(`calls/w1/${id}.json`, Buffer.from('{}'));
    const content = { inferenceId: 'i1', workspaceId: 'w1', objectKey: 'calls/w1/i1.json', toolCallId: null };
    await bench.application.execute(erasureDecider, 'i1', { type: 'erase-content', ...content }, context());
    await sweepAll(bench.application, new AbortController().signal);
    expect(await objects('calls/')).toEqual(['calls/w1/i2.json']);
  });

  it('runs as soon as the deletion is decided', async () => {
    const host = new ProcessManagerHost({
      eventStore: bench.application.ports.eventStore,
      managers: [reaper(bench.application)],
    }).start();
    await bench.requestJob('j1', rows);
    await bench.objectStore.put('jobs/j1/1/artifact/weights', Buffer.from('w'));
    await deleteJob('j1');
    await eventually(async () => (await objects('jobs/')).length === 0);
    await host.close();
  });
});
