import { Webhook as Verifier } from 'standardwebhooks';
import { AccountBook } from '#application/accounts/index.js';
import { onServers } from '#test/deployments/test-api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { startTestApi, type TestSystem } from '#test/support/api.js';
import { operate } from '#test/support/operate.js';
import { ReadModelFile } from '#test/support/read-model-file.js';
import { trips } from '#test/support/trips.js';
import { answersWith, startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.js';

const UNKNOWN = '0190f3c4-0000-7000-8000-000000000000';

describe('webhooks', () => {
  let api: TestSystem;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await startWebhookReceiver();
    api = await startTestApi({ rateLimits: false, webhookOrigins: [receiver.origin] });
  });
  beforeEach(() => {
    receiver.answer = answersWith(204);
  });
  afterAll(async () => {
    await api.close();
    await receiver.close();
  });

  const create = async (body: object = {}) => {
    const answer = await api.call('POST', '/webhooks', { url: `${receiver.origin}/hooks`, ...body });
    expect(answer.status).toBe(200);
    return answer.body;
  };
  const deliveries = async (id: string, query = '') =>
    (await api.call('GET', `/webhooks/${id}/deliveries${query}`)).body;
  const untilEnded = (id: string) =>
    api.until(
      () => deliveries(id),
      ({ deliveries: [newest] }) => newest !== undefined && newest.status !== 'pending',
    );

  it('are made with a secret that is shown once, listed, changed and deleted', async () => {
    const { secret, ...made } = await create({ description: 'builds', types: ['dataset.ready'] });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(made).toEqual({
      id: made.id,
      url: `${receiver.origin}/hooks`,
      types: ['dataset.ready'],
      description: 'builds',
      enabled: true,
      disabled_reason: null,
      disabled_at: null,
      failing_since: null,
      last_delivered_at: null,
      previous_secret_until: null,
      created_at: made.created_at,
    });
    expect((await api.call('GET', `/webhooks/${made.id}`)).body).toEqual(made);
    const { body } = await api.call('GET', '/webhooks?limit=1');
    expect(body).toEqual({ success: true, count: 1, total: 1, webhooks: [made] });
    expect((await api.call('GET', '/webhooks?offset=1')).body).toMatchObject({ count: 0, total: 1 });

    const path = `/webhooks/${made.id}`;
    const changed = await api.call('PATCH', path, {
      types: ['training_job.failed'],
      description: null,
      enabled: false,
    });
    expect(changed.body).toMatchObject({ types: ['training_job.failed'], description: null, enabled: false });
    expect(changed.body.disabled_reason).toBe('asked');
    expect((await api.call('PATCH', path, { enabled: true })).body).toMatchObject({ enabled: true, disabled_at: null });
    expect((await api.call('DELETE', path)).body).toEqual({ success: true });
    for (const method of ['GET', 'DELETE']) expect((await api.call(method, path)).status).toBe(404);
    expect((await api.call('PATCH', path, {})).status).toBe(404);
  });

  it('report a ready dataset, by its name and number', async () => {
    const { id, secret } = await create();
    await uploadDataset(api, { dataset_name: 'told', filename: 'trips.jsonl' }, trips(20));
    const { deliveries: list } = await untilEnded(id);
    const [delivery] = list;
    expect(list).toHaveLength(1);
    expect(delivery).toMatchObject({ type: 'dataset.ready', status: 'delivered', next_attempt_at: null });
    const data = { dataset_name: 'told', version_number: 1, status: 'ready' };
    expect(delivery.data).toEqual({ dataset_id: delivery.data.dataset_id, ...data });
    expect(delivery.attempts).toMatchObject([{ attempt: 1, status_code: 204, error: null }]);
    const { headers, body } = receiver.received.at(-1)!;
    const message = new Verifier(secret).verify(body, headers as Record<string, string>);
    expect(message).toEqual({ type: 'dataset.ready', timestamp: delivery.timestamp, data: delivery.data });
    expect(headers['webhook-id']).toBe(delivery.id);
    expect((await api.call('GET', `/webhooks/${id}`)).body.last_delivered_at).toBe(delivery.attempts[0].at);
    await api.call('DELETE', `/webhooks/${id}`);
  });

  it('send a test once, and send a failed delivery again on request', async () => {
    const { id } = await create({ types: ['evaluation.failed'] });
    receiver.answer = answersWith(500);
    const { body: test } = await api.call('POST', `/webhooks/${id}/test`);
    expect(test).toMatchObject({ type: 'webhook.test', data: { webhook_id: id }, status: 'pending', attempts: [] });
    const { deliveries: failed, ...page } = await untilEnded(id);
    expect(page).toEqual({ success: true, count: 1, total: 1 });
    expect(failed).toMatchObject([
      { id: test.id, status: 'failed', attempts: [{ status_code: 500, error: 'status' }] },
    ]);
    expect((await api.call('GET', `/webhooks/${id}`)).body.failing_since).toBe(failed[0].attempts[0].at);
    receiver.answer = answersWith(200);
    const again = await api.call('POST', `/webhooks/${id}/deliveries/${test.id}/resend`);
    expect(again.status).toBe(200);
    const { deliveries: delivered } = await api.until(
      () => deliveries(id, '?status=delivered'),
      ({ count }) => count === 1,
    );
    expect(delivered[0].attempts).toMatchObject([{ attempt: 1 }, { attempt: 2, status_code: 200, error: null }]);
    expect((await deliveries(id, '?status=failed')).total).toBe(0);
    expect((await deliveries(id, '?offset=1')).count).toBe(0);
    await api.call('DELETE', `/webhooks/${id}`);
  });

  it('get a new secret, and both sign until the old one expires', async () => {
    const { id, secret: before } = await create();
    const { body: rotated } = await api.call('POST', `/webhooks/${id}/rotate`, { overlap_hours: 2 });
    expect(rotated).toMatchObject({ id, secret: expect.stringMatching(/^whsec_/) });
    expect(rotated.secret).not.toBe(before);
    expect((await api.call('GET', `/webhooks/${id}`)).body.previous_secret_until).toBe(rotated.previous_secret_until);
    await api.call('POST', `/webhooks/${id}/test`);
    await untilEnded(id);
    const { headers, body } = receiver.received.at(-1)!;
    for (const secret of [before, rotated.secret])
      expect(new Verifier(secret).verify(body, headers as Record<string, string>)).toMatchObject({
        type: 'webhook.test',
      });
    await api.call('DELETE', `/webhooks/${id}`);
  });

  it('leave no secret on the log', async () => {
    const { id, secret } = await create();
    const { body } = await api.call('POST', `/webhooks/${id}/rotate`, {});
    const events = await Array.fromAsync(api.application.ports.eventStore.readAll({}));
    const log = JSON.stringify(events);
    for (const each of [secret, body.secret]) expect(log).not.toContain(each.slice('whsec_'.length));
    await api.call('DELETE', `/webhooks/${id}`);
  });

  // A read model on MongoDB is not changed here: commands see both through one port.
  (onServers() ? it.skip : it)('get no message of a workspace that only a changed read model gives them', async () => {
    const { id } = await create();
    const thief = await api.anotherTeam();
    await api.drained();
    await new ReadModelFile(api, 'webhooks').change(id, { workspaceId: thief.workspaceId });
    expect((await thief.call('GET', `/webhooks/${id}`)).status).toBe(200);
    expect((await thief.call('POST', `/webhooks/${id}/test`)).status).toBe(404);
  });

  it('that are disabled are neither tested nor resent', async () => {
    const { id } = await create();
    const { body: test } = await api.call('POST', `/webhooks/${id}/test`);
    await untilEnded(id);
    await api.call('PATCH', `/webhooks/${id}`, { enabled: false });
    for (const path of ['test', `deliveries/${test.id}/resend`]) {
      const { status, body } = await api.call('POST', `/webhooks/${id}/${path}`);
      expect([path, status]).toEqual([path, 409]);
      expect(body.detail).toContain('enable it first');
    }
    await api.call('DELETE', `/webhooks/${id}`);
  });

  it.each([
    [{}, 'url'],
    [{ url: 'nonsense' }, 'url'],
    [{ url: 'ftp://example.com/' }, 'url'],
    [{ url: 'http://example.com/' }, 'url'],
    [{ url: 'https://ada:pw@example.com/' }, 'url'],
    [{ url: 'https://127.0.0.1/' }, 'url'],
    [{ url: 'https://[::1]/' }, 'url'],
    [{ url: 'https://169.254.169.254/latest' }, 'url'],
    [{ url: 'https://0x7f.1/' }, 'url'],
    [{ url: 'https://example.com/', types: [] }, 'types'],
    [{ url: 'https://example.com/', types: ['nothing'] }, 'types'],
    [{ url: 'https://example.com/', types: 'dataset.ready' }, 'types'],
    [{ url: 'https://example.com/', types: ['dataset.ready', 'dataset.ready'] }, 'types'],
    [{ url: 'https://example.com/', secret: 'whsec_mine' }, 'secret'],
  ])('%j is refused by the name of the field', async (body, field) => {
    const answer = await api.call('POST', '/webhooks', body);
    expect(answer.status).toBe(422);
    expect(answer.body.errors[0].loc).toEqual(['body', field]);
    expect(JSON.stringify(answer.body)).not.toContain(':pw@');
  });

  it("are limited to twenty in a workspace, unless the team's limit is raised", async () => {
    const made = await Promise.all(Array.from({ length: 19 }, () => create()));
    made.push(await create());
    const { status, body } = await api.call('POST', '/webhooks', { url: 'https://example.com/' });
    expect([status, body.detail]).toEqual([413, expect.stringContaining('20 webhooks, and may have 20')]);
    const setLimit = async (value: number | null) => {
      await operate(api, 'team.limit', { limit: 'webhooks', value });
      api.app.get(AccountBook).drop((await api.call('GET', '/account')).body.team_id as string);
    };
    await setLimit(21);
    made.push(await create());
    await setLimit(null);
    for (const { id } of made) await api.call('DELETE', `/webhooks/${id}`);
  });

  it('of a colleague, and unknown ones, are 404', async () => {
    const { id } = await create();
    const { body: test } = await api.call('POST', `/webhooks/${id}/test`);
    const headers = { 'x-api-key': (await api.colleague()).key };
    expect((await api.call('GET', '/webhooks', undefined, headers)).body.total).toBe(0);
    for (const [method, rest, body] of [
      ['GET', ''],
      ['PATCH', '', {}],
      ['DELETE', ''],
      ['POST', '/test'],
      ['POST', '/rotate', {}],
      ['GET', '/deliveries'],
      ['POST', `/deliveries/${test.id}/resend`],
    ] as const) {
      expect([rest, (await api.call(method, `/webhooks/${id}${rest}`, body, headers)).status]).toEqual([rest, 404]);
      expect([rest, (await api.call(method, `/webhooks/${UNKNOWN}${rest}`, body)).status]).toEqual([rest, 404]);
    }
    const { id: other } = await create();
    expect((await api.call('POST', `/webhooks/${other}/deliveries/${test.id}/resend`)).status).toBe(404);
    for (const each of [id, other]) await api.call('DELETE', `/webhooks/${each}`);
  });
});
