import { systemContext } from '#log/context.js';
import { exportIdOf, modelExportDecider } from '#domain/model-export/index.js';
import { trainingJobDecider } from '#domain/training-job/index.js';
import type { WorkReport } from '#gpu-runner/contract/work.js';
import { metrics, trainingRequest } from '#test/support/training-events.js';
import { openTestWorker, type TestWorker } from '#test/support/worker.js';
import { exportAttempts } from './export-attempts.js';

const exportId = exportIdOf('j1', 'merged');
const prefix = 'jobs/j1/exports/merged/';

describe('the archives of export attempts', () => {
  let worker: TestWorker;
  let reports: number;
  beforeEach(async () => {
    worker = await openTestWorker();
    reports = 0;
    const job = { jobId: 'j1', attempt: 1 };
    const trained = { epochsRun: 3, metrics, artifact: { objectPrefix: 'jobs/j1/1/final', files: [] } };
    const context = () => systemContext('test', 'w1');
    const { application } = worker;
    for (const command of [
      { type: 'request-training-job', ...trainingRequest('j1') },
      { type: 'claim-training-attempt', ...job, runnerId: 'r1' },
      { type: 'complete-training', ...job, ...trained },
    ] as const)
      await application.execute(trainingJobDecider, 'j1', command, context());
    await request();
  });
  afterEach(() => worker.close());

  const request = async () => {
    const asked = { exportId, jobId: 'j1', workspaceId: 'w1', userId: 'u1', format: 'merged' } as const;
    const command = { type: 'request-model-export', ...asked } as const;
    await worker.application.execute(modelExportDecider, exportId, command, systemContext('test', 'w1'));
  };
  const claim = (attempt: number) =>
    exportAttempts.claim(worker.application, { id: exportId, attempt, runnerId: 'r1' }, systemContext('r1', null));
  const report = (attempt: number, told: WorkReport, commandId = `report-${(reports += 1)}`) =>
    exportAttempts.record(
      worker.application,
      { id: exportId, attempt, runnerId: 'r1', commandId, at: new Date().toISOString(), report: told },
      systemContext('r1', null, commandId),
    );
  const store = async (attempt: number) => {
    const key = `${prefix}${attempt}.tar`;
    const { size, sha256 } = await worker.objectStore.put(key, Buffer.from(`tar ${attempt}`));
    return { key, size, sha256 };
  };
  const lost = { kind: 'lost', reason: 'shut down', orderly: true, cause: 'runner' } as const;
  const stored = async () =>
    (await Array.fromAsync(worker.objectStore.list(prefix))).map(({ key }) => key.slice(prefix.length));

  it('are removed once a later attempt begins, and when they arrive too late', async () => {
    await claim(1);
    const late = await store(1);
    await report(1, lost, 'lost-1');
    expect(await stored()).toEqual([]);
    await claim(2);
    await store(1);
    await report(1, { kind: 'exported', archive: late });
    expect(await stored()).toEqual([]);
    await report(2, { kind: 'exported', archive: await store(2) });
    expect(await stored()).toEqual(['2.tar']);
    await store(1);
    await report(1, { kind: 'exported', archive: late });
    expect(await stored()).toEqual(['2.tar']);
  });

  it('are kept if they belong to a later attempt than a repeated report', async () => {
    await claim(1);
    await report(1, lost, 'lost-1');
    await claim(2);
    await report(2, lost, 'lost-2');
    await claim(3);
    await report(3, { kind: 'exported', archive: await store(3) });
    await report(1, lost, 'lost-1');
    expect(await stored()).toEqual(['3.tar']);
  });

  it('are removed when the export fails', async () => {
    await claim(1);
    await store(1);
    await report(1, { kind: 'failed', reason: 'no room' });
    expect(await stored()).toEqual([]);
  });
});
