import { systemContext } from '#log/context.js';
import { evaluationDecider } from '#domain/evaluation/index.js';
import { exportIdOf, modelExportDecider } from '#domain/model-export/index.js';
import { trainingJobDecider } from '#domain/training-job/index.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { eventually } from '#test/support/eventually.js';
import { metrics, trainingRequest } from '#test/support/training-events.js';

const JOB = '11111111-1111-4111-8111-111111111111';
const EXPORTED = '33333333-3333-4333-8333-333333333333';
const EVALUATION = '22222222-2222-4222-8222-222222222222';

describe('work whose engine no runner has', () => {
  let api: TestApi;
  let workspaceId: string;
  beforeAll(async () => {
    api = await startTestApi();
    const session = { authorization: `Bearer ${api.session}` };
    workspaceId = (await api.call('GET', '/auth/session', undefined, session)).body.workspace_id as string;
  });
  afterAll(() => api.close());

  const engine = { name: 'torch', version: '1' };
  const baseModel = { id: 'test/lm', sha256: 'a'.repeat(64) };
  const { datasets, userId, projectId } = trainingRequest(JOB);

  const shown = async (path: string) => {
    await api.drained();
    // Heartbeats tell it.
    const { body } = await eventually(
      () => api.call('GET', path),
      ({ status, body: record }) => status !== 200 || 'waiting_reason' in record,
    );
    return [body.status, body.waiting_reason];
  };
  const reason = 'No runner has engine torch with base model test/lm: it begins when one comes that has';

  it('waits as a training job, which shows the missing engine', async () => {
    const request = { ...trainingRequest(JOB), workspaceId, engine, baseModel };
    const command = { type: 'request-training-job', ...request } as const;
    await api.application.execute(trainingJobDecider, JOB, command, systemContext('test', workspaceId));
    expect(await shown(`/felix/training-jobs/${JOB}`)).toEqual(['requested', reason]);
    const { body } = await api.call('GET', '/felix/training-jobs');
    expect(body.training_jobs[0].waiting_reason).toBe(reason);
  });

  it('waits as an evaluation, which shows the missing engine', async () => {
    const command = {
      type: 'request-evaluation',
      ...{ evaluationId: EVALUATION, workspaceId, userId, projectId, engine, datasets },
      ...{ model: { id: 'test/lm', baseModel, adapter: null }, heldOut: null, maxExamples: null },
      ...{ automatic: false, trainingJobId: null },
    } as const;
    await api.application.execute(evaluationDecider, EVALUATION, command, systemContext('test', workspaceId));
    expect(await shown(`/felix/evaluations/${EVALUATION}`)).toEqual(['queued', reason]);
    const { body } = await api.call('GET', '/felix/evaluations');
    expect(body.evaluations[0].waiting_reason).toBe(reason);
  });

  it('waits as an export, which shows the missing engine', async () => {
    const context = () => systemContext('test', workspaceId);
    const job = { ...trainingRequest(EXPORTED), workspaceId, engine, baseModel };
    const attempt = { jobId: EXPORTED, attempt: 1 };
    const artifact = { objectPrefix: `jobs/${EXPORTED}/artifact/`, files: [] };
    for (const command of [
      { type: 'request-training-job', ...job },
      { type: 'claim-training-attempt', ...attempt, runnerId: 'gone/b1' },
      { type: 'complete-training', ...attempt, epochsRun: 1, metrics, artifact },
    ] as const)
      await api.application.execute(trainingJobDecider, EXPORTED, command, context());
    const exportId = exportIdOf(EXPORTED, 'merged');
    const asked = { exportId, jobId: EXPORTED, workspaceId, userId, format: 'merged', engine, baseModel } as const;
    await api.application.execute(modelExportDecider, exportId, { type: 'request-model-export', ...asked }, context());
    await api.drained();
    const { body } = await eventually(
      () => api.call('GET', `/felix/training-jobs/${EXPORTED}/exports`),
      ({ status, body: list }) => status !== 200 || list.exports[0].waiting_reason || list.exports[0].error_message,
    );
    expect(body.exports).toMatchObject([{ status: 'queued', waiting_reason: reason }]);
  });
});
