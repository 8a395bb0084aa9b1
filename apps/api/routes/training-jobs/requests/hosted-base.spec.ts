import { systemContext } from '#log/context.js';
import { envelope } from '#log/execute.js';
import type { TrainingJobEvent } from '#domain/training-job/index.js';
import { NO_STREAM } from '#ports/event-store/port.js';
import type { HostedApi } from '#test/support/hosted-api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { sharedHostedApi } from '#test/support/shared-api.js';
import { artifact, at, metrics, trainingRequest } from '#test/support/training-events.js';
import { trips } from '#test/support/trips.js';

const HOSTED = 'acme/chat';

describe('a hosted model as a base', () => {
  let hosted: HostedApi;
  beforeAll(async () => {
    hosted = await sharedHostedApi();
    await uploadDataset(hosted.api, { dataset_name: 'trips', filename: 'a.jsonl' }, trips(12));
  });
  afterAll(() => hosted.close());

  it('cannot be trained', async () => {
    const body = { base_model: HOSTED, datasets: [{ name: 'trips' }] };
    const answer = await hosted.api.call('POST', '/felix/training-jobs', body);
    expect([answer.status, answer.body.errors?.[0].loc]).toEqual([422, ['body', 'base_model']]);
  });

  it('does not answer in place of a model that was trained on it', async () => {
    const { application, session } = hosted.api;
    const authorization = `Bearer ${session}`;
    const { body } = await hosted.api.call('GET', '/auth/session', undefined, { authorization });
    const workspaceId = body.workspace_id as string;
    const jobId = '0190f3c4-0000-7000-8000-00000000000a';
    const data = { ...trainingRequest(jobId), workspaceId, baseModel: { id: HOSTED, sha256: 'aa' } };
    const completed = { jobId, attempt: 1, epochsRun: 1, metrics, artifact, completedAt: at(3) };
    const events: TrainingJobEvent[] = [
      { type: 'training-job-requested.v1', data: { ...data, requestedAt: at(0) } },
      { type: 'training-attempt-claimed.v1', data: { jobId, attempt: 1, runnerId: 'r/1', claimedAt: at(1) } },
      { type: 'training-job-completed.v1', data: completed },
    ];
    const context = systemContext('test', workspaceId);
    // Appended directly, since the route refuses it: no runner is offered the job.
    await application.ports.eventStore.append(
      `job-${jobId}`,
      NO_STREAM,
      events.map((event, index) => envelope(`job-${jobId}`, event, index, context)),
    );
    const before = hosted.openai.seen.length;
    const messages = [{ role: 'user', content: 'Anna' }];
    const calls = [
      hosted.api.call('POST', '/inference', { model_id: jobId, messages }),
      hosted.api.call('POST', '/v1/chat/completions', { model: jobId, messages }),
      hosted.api.call('POST', '/v1/messages', { model: jobId, messages, max_tokens: 5 }),
    ];
    for (const { status, body: answer } of await Promise.all(calls)) {
      expect(status).toBe(409);
      expect(JSON.stringify(answer)).toContain(`the base model ${HOSTED} of job ${jobId} is hosted by a provider`);
    }
    expect(hosted.openai.seen).toHaveLength(before);
  });
});
