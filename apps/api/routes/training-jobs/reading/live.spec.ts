import { systemContext } from '#log/context.js';
import { trainingJobDecider, type TrainingJobCommand } from '#domain/training-job/index.js';
import type { TestApi } from '#test/support/api.js';
import { eventually } from '#test/support/eventually.js';
import { listen } from '#test/support/server-sent-events.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { checkpoint, losses, trainingRequest } from '#test/support/training-events.js';
import { MAX_LIVE_STREAMS } from '../../../edge/live-messages.js';

const JOB = '11111111-1111-4111-8111-111111111111';
const PATH = `/felix/training-jobs/${JOB}/events`;
const LOSSES = { training_loss: 1, validation_loss: 2, f1: 0.5, learning_rate: 0.01 };
const EPOCH = { type: 'epoch', epoch: 1, step: 10, ...LOSSES };
const CHECKPOINT = { type: 'checkpoint', checkpoint_id: 'c1', epoch: 1, step: 10, ...LOSSES };

describe('the live stream of a training job', () => {
  let api: TestApi;
  let workspaceId: string;
  const decide = (command: TrainingJobCommand) =>
    api.application.execute(trainingJobDecider, JOB, command, systemContext('test', workspaceId));
  beforeAll(async () => {
    api = await sharedTestApi();
    const session = { authorization: `Bearer ${api.session}` };
    workspaceId = (await api.call('GET', '/auth/session', undefined, session)).body.workspace_id as string;
    // No runner has this engine: the job does what the test says.
    const engine = { name: 'torch', version: '1' };
    await decide({ type: 'request-training-job', ...trainingRequest(JOB), workspaceId, engine });
    await api.drained();
  });
  afterAll(() => api.close());

  it('is open to as many listeners as the workspace may have, and to one more after one leaves', async () => {
    const listeners = await Promise.all(Array.from({ length: MAX_LIVE_STREAMS }, () => listen(api, PATH)));
    expect(listeners.map(({ status }) => status)).toEqual(listeners.map(() => 200));
    const refused = await api.call('GET', PATH);
    expect(refused.status).toBe(429);
    expect(refused.body.detail).toContain(
      `${MAX_LIVE_STREAMS} open streams of live messages, the maximum; close one first`,
    );
    listeners.forEach(({ close }) => close());
    const later = await eventually(
      () => listen(api, PATH),
      ({ status }) => status === 200,
    );
    later.close();
  });

  it('sends the known state, then each epoch and checkpoint as it happens, and ends with the job', async () => {
    const { type, messages, next } = await listen(api, PATH);
    expect(type).toMatch(/^text\/event-stream/);
    const requested = { type: 'status', status: 'requested', error_message: null };
    expect(await next()).toEqual({ id: '0', event: 'status', data: requested });
    expect(await next()).toEqual({ id: null, event: 'progress', data: { type: 'progress', progress_percent: 0 } });
    const attempt = { jobId: JOB, attempt: 1 };
    await decide({ type: 'claim-training-attempt', ...attempt, runnerId: 'gone/b1' });
    await decide({ type: 'record-epoch', ...attempt, epoch: 1, step: 10, ...losses });
    await decide({ type: 'save-checkpoint', jobId: JOB, checkpoint: checkpoint('c1', 1) });
    const heard: unknown[] = [];
    for (const expected of ['status', 'epoch', 'checkpoint'])
      for (let each = await next(); ; each = await next()) {
        if (each.event === 'progress') continue;
        heard.push(each.data);
        expect(each.event).toBe(expected);
        break;
      }
    expect(heard).toEqual([{ ...requested, status: 'running' }, EPOCH, CHECKPOINT]);
    expect((await api.call('POST', `/felix/training-jobs/${JOB}/stop`)).status).toBe(200);
    const rest = (await Array.fromAsync(messages)).filter(({ event }) => event !== 'progress');
    expect(rest.map(({ data }) => data)).toEqual([
      { ...requested, status: 'cancelled' },
      { type: 'end', status: 'cancelled' },
    ]);
  });

  it("is replayed from its start after the job has ended, or after the client's last message", async () => {
    const types = async (headers: Record<string, string>) =>
      (await Array.fromAsync((await listen(api, PATH, headers)).messages)).map(({ event }) => event);
    expect(await types({})).toEqual(['status', 'status', 'epoch', 'checkpoint', 'status', 'end']);
    expect(await types({ 'last-event-id': '2' })).toEqual(['checkpoint', 'status', 'end']);
    expect(await types({ 'last-event-id': '4' })).toEqual(['end']);
  });

  it('refuses an invalid id', async () => {
    const wrong = await api.call('GET', PATH, undefined, { 'x-api-key': api.key, 'last-event-id': 'x' });
    expect(wrong.status).toBe(400);
    expect(wrong.body.detail).toContain('`Last-Event-ID` must be the id of a message');
  });
});
