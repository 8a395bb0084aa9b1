import { createHmac, randomBytes } from 'node:crypto';
import { Webhook as Verifier } from 'standardwebhooks';
import type { Application } from '#application/application.js';
import { systemContext } from '#log/context.js';
import { derivedId, envelope } from '#log/execute.js';
import { webhookSecret } from '../webhook-secrets.js';
import type { JsonObject } from '#domain/json.js';
import type { DomainEvent } from '#domain/decider.js';
import { streamName, type StreamCategory } from '#domain/streams.js';
import { webhookDecider, WEBHOOK_TYPES, type WebhookCommand, type WebhookType } from '#domain/webhook/index.js';
import { webhookDeliveryDecider, type WebhookDeliveryEvent } from '#domain/webhook-delivery/index.js';
import { ProcessManagerHost } from '#log/process-manager/host.js';
import { NO_STREAM, type RecordedEvent } from '#ports/event-store/port.js';
import { openEgress, type Egress } from '#primitives/egress/index.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { eventually } from '#test/support/eventually.js';
import { answersWith, startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.js';
import { openTestWorker, type TestWorker } from '#test/support/worker.js';
import { webhooks, type WebhookWork } from './process-manager.js';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

describe('webhooks', () => {
  let worker: TestWorker;
  let application: Application;
  let receiver: WebhookReceiver;
  let egress: Egress;
  let hosts: ProcessManagerHost[];
  /** Milliseconds by which the clock was moved on. */
  let movedMs: number;
  let ticks: (() => void)[];
  const secret = new SecretKey(randomBytes(32));

  beforeEach(async () => {
    worker = await openTestWorker();
    ({ application } = worker);
    receiver = await startWebhookReceiver();
    egress = openEgress({ trusted: [receiver.origin] });
    [hosts, ticks, movedMs] = [[], [], 0];
  });
  afterEach(async () => {
    await Promise.all(hosts.map((host) => host.close()));
    await worker.close();
    await egress.close();
    await receiver.close();
  });

  const now = () => Date.now() + movedMs;
  function start(work: Partial<WebhookWork> = {}): ProcessManagerHost {
    const manager = webhooks(application, { egress, secret, now, timeoutMs: 600_000, ...work });
    const host = new ProcessManagerHost({
      eventStore: application.ports.eventStore,
      managers: [manager],
      now,
      timer: (tick) => {
        ticks.push(tick);
        return () => undefined;
      },
    }).start();
    hosts.push(host);
    return host;
  }
  const passing = (ms: number) => {
    movedMs += ms;
    for (const tick of ticks) tick();
  };

  const execute = (command: WebhookCommand) =>
    application.execute(webhookDecider, command.webhookId, command, systemContext('test', command.workspaceId));
  let serial = 0;
  async function endpoint(workspaceId = 'w1', types: readonly WebhookType[] = WEBHOOK_TYPES, path = '/a') {
    const webhookId = `h${(serial += 1)}`;
    const url = receiver.origin + path;
    await execute({ type: 'create-webhook', webhookId, workspaceId, url, types, description: null });
    return webhookId;
  }
  /** Appends to a stream of its own. */
  async function append(category: StreamCategory, event: DomainEvent, workspaceId: string | null = 'w1') {
    const stream = streamName(category, `s${(serial += 1)}`);
    const toAppend = envelope(stream, event, 0, systemContext('test', workspaceId));
    await application.ports.eventStore.append(stream, NO_STREAM, [toAppend]);
  }
  /** @returns its id */
  async function jobEnds(type: 'training-job-failed.v1' | 'training-job-cancelled.v1', workspaceId = 'w1') {
    const jobId = `j${(serial += 1)}`;
    const data = { jobId, reason: 'of the content', failedAt: 'x', cancelledAt: 'x' };
    await append('job', { type, data }, workspaceId);
    return jobId;
  }
  const all = (type: string): Promise<RecordedEvent[]> =>
    Array.fromAsync(application.ports.eventStore.readAll({ filter: { types: [type] } }));
  const until = (type: WebhookDeliveryEvent['type'] | 'webhook-disabled.v1', count = 1) =>
    eventually(
      () => all(type),
      (events) => events.length >= count,
    );
  const idOf = ({ headers }: { headers: Record<string, unknown> }) => headers['webhook-id'] as string;

  it('report events after their creation, with ids and states, signed', async () => {
    await jobEnds('training-job-failed.v1');
    const webhookId = await endpoint();
    start();
    const jobId = await jobEnds('training-job-cancelled.v1');
    const [ended] = await until('webhook-delivery-ended.v1');
    expect(ended!.data['outcome']).toBe('delivered');
    const [webhook, ...others] = receiver.received;
    expect(others).toEqual([]);
    const [told] = await all('training-job-cancelled.v1');
    const message = {
      type: 'training_job.cancelled',
      timestamp: told!.metadata.occurredAt,
      data: { training_job_id: jobId, status: 'cancelled' },
    };
    const { headers, body } = webhook!;
    const signingSecret = webhookSecret(secret, webhookId, 1);
    expect(new Verifier(signingSecret).verify(body, headers as Record<string, string>)).toEqual(message);
    // The same by hand, after the specification.
    const signed = `${idOf(webhook!)}.${headers['webhook-timestamp'] as string}.${body}`;
    const key = Buffer.from(signingSecret.slice('whsec_'.length), 'base64');
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
    expect(key).toHaveLength(32);
  });

  it('send only the requested types, and only of their workspace', async () => {
    await endpoint('w1', ['training_job.cancelled']);
    await endpoint('w2');
    start();
    await jobEnds('training-job-failed.v1', 'w1');
    await jobEnds('training-job-failed.v1', 'w3');
    const jobId = await jobEnds('training-job-cancelled.v1', 'w1');
    const theirs = await jobEnds('training-job-failed.v1', 'w2');
    await until('webhook-delivery-ended.v1', 2);
    const told = receiver.received.map(({ body }) => (JSON.parse(body) as { data: object }).data);
    expect(told).toHaveLength(2);
    expect(told).toContainEqual({ training_job_id: jobId, status: 'cancelled' });
    expect(told).toContainEqual({ training_job_id: theirs, status: 'failed' });
  });

  it.each([
    [
      'gate-decided.v1',
      { improvementId: 'i1', passed: false },
      { improvement_id: 'i1', passed: false },
      'gate.decided',
    ],
    [
      'model-version-promoted.v1',
      { name: 'tickets', version: 2, previous: 1, rollback: false, reason: 'content' },
      { model_name: 'tickets', version: 2, previous_version: 1 },
      'model.promoted',
    ],
    [
      'model-version-promoted.v1',
      { name: 'tickets', version: 1, previous: 2, rollback: true, reason: 'content' },
      { model_name: 'tickets', version: 1, previous_version: 2 },
      'model.rolled_back',
    ],
    [
      'drift-detected.v1',
      {
        ...{ name: 'tickets', version: 2, week: '2030-W01', measure: 'labels', against: 'training' },
        ...{ psi: 0.31, bound: 0.25, actor: 'content' },
      },
      {
        ...{ model_name: 'tickets', version: 2, week: '2030-W01', measure: 'labels', against: 'training' },
        ...{ psi: 0.31 },
      },
      'drift',
    ],
    [
      'act-proposed.v1',
      { proposalId: 'p1', act: 'promote', expiresAt: '2030-01-08', about: 'content', reason: 'content', input: 1 },
      { proposal_id: 'p1', act: 'promote', expires_at: '2030-01-08', status: 'open' },
      'proposal.made',
    ],
    ...['confirmed', 'declined', 'expired'].map((status): [string, JsonObject, JsonObject, string] => [
      `proposal-${status}.v1`,
      { proposalId: 'p1', userId: 'eve', actor: 'user:eve', reason: 'content' },
      { proposal_id: 'p1', status },
      `proposal.${status}`,
    ]),
  ])('report %s %j as %j: %s', async (type, data, told, webhookType) => {
    await endpoint();
    start();
    await append('model', { type, data });
    const [webhook] = await receiver.until(1);
    expect(JSON.parse(webhook!.body)).toMatchObject({ type: webhookType, data: told });
    expect(webhook!.body).not.toContain('content');
  });

  it('report low credits to endpoints of current members of the team only', async () => {
    const member = (userId: string) => ({ teamId: 't1', userId, workspaceId: `w-${userId}` });
    for (const userId of ['ada', 'eve', 'bob'])
      await append('team', { type: 'team-member-added.v1', data: { ...member(userId), addedAt: 'x' } }, null);
    await append(
      'team',
      { type: 'team-member-removed.v1', data: { teamId: 't1', userId: 'eve', removedAt: 'x' } },
      null,
    );
    await append(
      'team',
      { type: 'team-member-added.v1', data: { ...member('kim'), teamId: 't2', addedAt: 'x' } },
      null,
    );
    for (const userId of ['ada', 'eve', 'bob', 'kim']) await endpoint(`w-${userId}`, ['credits.low'], `/${userId}`);
    start();
    await append(
      'ledger',
      { type: 'credits-ran-low.v1', data: { entryId: 'e1', teamId: 't1', month: '2030-01' } },
      null,
    );
    const ended = await until('webhook-delivery-ended.v1', 2);
    expect(ended.map(({ metadata }) => metadata.workspaceId).toSorted()).toEqual(['w-ada', 'w-bob']);
    const bodies = receiver.received.map(({ body }) => JSON.parse(body) as { data: object });
    expect(bodies.map(({ data }) => data)).toEqual(Array(2).fill({ team_id: 't1', month: '2030-01' }));
  });

  it('are repeated on schedule under the same id until answered with 2xx', async () => {
    receiver.answer = answersWith(500);
    await endpoint();
    start();
    await jobEnds('training-job-failed.v1');
    await until('webhook-delivery-attempted.v1', 1);
    passing(6_000);
    await until('webhook-delivery-attempted.v1', 2);
    receiver.answer = answersWith(200);
    passing(6 * 60_000);
    const [ended] = await until('webhook-delivery-ended.v1');
    expect(ended!.data['outcome']).toBe('delivered');
    expect(new Set(receiver.received.map(idOf))).toEqual(new Set([ended!.data['deliveryId']]));
    const attempts = (await all('webhook-delivery-attempted.v1')).map(({ data }) => [
      data['statusCode'],
      data['error'],
    ]);
    expect(attempts).toEqual([
      [500, 'status'],
      [500, 'status'],
      [200, null],
    ]);
  });

  it('disable an endpoint after five days of failed attempts, cancel its open deliveries, and tell the others', async () => {
    receiver.answer = answersWith(503);
    const webhookId = await endpoint('w1', ['training_job.failed']);
    start();
    await jobEnds('training-job-failed.v1');
    await until('webhook-delivery-attempted.v1', 1);
    passing(5 * DAY_MS - HOUR_MS);
    await until('webhook-delivery-attempted.v1', 2);
    await jobEnds('training-job-failed.v1');
    await until('webhook-delivery-attempted.v1', 3);
    expect(await all('webhook-disabled.v1')).toEqual([]);
    const other = await endpoint('w1', ['webhook.disabled'], '/b');
    passing(2 * HOUR_MS);
    const [disabled] = await until('webhook-disabled.v1');
    expect(disabled!.data).toMatchObject({ webhookId, reason: 'failing' });
    const requested = await until('webhook-delivery-requested.v1', 3);
    expect(requested.at(-1)!.data).toMatchObject({
      webhookId: other,
      message: { type: 'webhook.disabled', data: { webhook_id: webhookId, reason: 'failing' } },
    });
    passing(DAY_MS);
    const ended = await until('webhook-delivery-ended.v1', 2);
    expect(ended.slice(0, 2).map(({ data }) => data['outcome'])).toEqual(['cancelled', 'cancelled']);
  });

  it('keep an endpoint that answered in between', async () => {
    receiver.answer = answersWith(503);
    await endpoint();
    start();
    await jobEnds('training-job-failed.v1');
    await until('webhook-delivery-attempted.v1', 1);
    receiver.answer = answersWith(200);
    passing(3 * DAY_MS);
    await until('webhook-delivery-ended.v1', 1);
    receiver.answer = answersWith(503);
    passing(3 * DAY_MS);
    await jobEnds('training-job-failed.v1');
    await until('webhook-delivery-attempted.v1', 3);
    passing(6_000);
    await until('webhook-delivery-attempted.v1', 4);
    expect(await all('webhook-disabled.v1')).toEqual([]);
  });

  it('disable an endpoint at once that answers 410', async () => {
    receiver.answer = answersWith(410);
    await endpoint();
    start();
    await jobEnds('training-job-failed.v1');
    const [disabled] = await until('webhook-disabled.v1');
    expect(disabled!.data['reason']).toBe('gone');
  });

  it('resume after a crash in the middle of an attempt, under the same id', async () => {
    receiver.answer = () => undefined;
    const webhookId = await endpoint();
    const first = start();
    await jobEnds('training-job-failed.v1');
    await receiver.until(1);
    await first.close();
    expect(await all('webhook-delivery-attempted.v1')).toEqual([]);
    receiver.answer = answersWith(200);
    start();
    const [ended] = await until('webhook-delivery-ended.v1');
    const [event] = await all('training-job-failed.v1');
    const ids = [...receiver.received].map(idOf);
    expect(new Set(ids)).toEqual(new Set([derivedId(event!.id, webhookId)]));
    expect(ended!.data).toMatchObject({ deliveryId: ids[0], outcome: 'delivered' });
  });

  it("of one workspace do not wait for another's slow endpoint", async () => {
    receiver.answer = (response, { body }) => {
      if (!body.includes('training_job.failed')) response.writeHead(204).end();
    };
    await endpoint('slow');
    await endpoint('quick');
    start();
    for (let count = 0; count < 40; count += 1) await jobEnds('training-job-failed.v1', 'slow');
    await receiver.until(4);
    await jobEnds('training-job-cancelled.v1', 'quick');
    const [ended] = await until('webhook-delivery-ended.v1');
    expect(ended!.metadata.workspaceId).toBe('quick');
    expect(receiver.received).toHaveLength(5);
  });

  it.each([
    ['to a private address that the operator did not name', {}, 'address', null],
    ['that is redirected, and not followed,', { status: 307 }, 'redirect', 307],
    ['that is broken off', { status: 0 }, 'connection', null],
    ['without an answer in time', { status: null }, 'timeout', null],
  ] as const)(
    'record as failed an attempt %s',
    async (_what, { status = 204 }: { status?: number | null }, error, code) => {
      receiver.answer = (response) => {
        if (status === 0) response.destroy();
        else if (status !== null) response.writeHead(status, { location: `${receiver.origin}/elsewhere` }).end();
      };
      const untrusting = openEgress();
      await endpoint();
      start({ ...(status === null && { timeoutMs: 50 }), ...(error === 'address' && { egress: untrusting }) });
      await jobEnds('training-job-failed.v1');
      const [attempted] = await until('webhook-delivery-attempted.v1');
      expect(attempted!.data).toMatchObject({ error, statusCode: code });
      expect(receiver.received).toHaveLength(error === 'address' ? 0 : 1);
      await untrusting.close();
    },
  );

  it('read only the beginning of an answer', async () => {
    const closed = Promise.withResolvers<void>();
    receiver.answer = (response) => {
      response.on('close', closed.resolve);
      response.writeHead(200);
      const more = () => void (response.destroyed || response.write(Buffer.alloc(16_384), () => setImmediate(more)));
      more();
    };
    await endpoint();
    start();
    await jobEnds('training-job-failed.v1');
    const [ended] = await until('webhook-delivery-ended.v1');
    expect(ended!.data['outcome']).toBe('delivered');
    await closed.promise;
  });

  it('are signed with both secrets while a rotation overlaps', async () => {
    const webhookId = await endpoint();
    const rotate = { type: 'rotate-webhook-secret', webhookId, workspaceId: 'w1', secretNumber: 2 } as const;
    await execute({ ...rotate, overlapHours: 1 });
    start();
    await jobEnds('training-job-failed.v1');
    const [first] = await receiver.until(1);
    const verifies = ({ headers, body }: typeof first & object, number: number) =>
      new Verifier(webhookSecret(secret, webhookId, number)).verify(body, headers as Record<string, string>);
    expect(verifies(first!, 1)).toEqual(verifies(first!, 2));
    passing(2 * HOUR_MS);
    await jobEnds('training-job-failed.v1');
    const [, second] = await receiver.until(2);
    expect(String(first!.headers['webhook-signature']).split(' ')).toHaveLength(2);
    expect(String(second!.headers['webhook-signature']).split(' ')).toHaveLength(1);
  });

  it('that have ended are sent again under their id on request', async () => {
    const webhookId = await endpoint();
    start();
    await jobEnds('training-job-failed.v1');
    const [ended] = await until('webhook-delivery-ended.v1');
    const deliveryId = ended!.data['deliveryId'] as string;
    const resend = { type: 'resend-webhook-delivery', deliveryId, webhookId, workspaceId: 'w1' } as const;
    await application.execute(webhookDeliveryDecider, deliveryId, resend, systemContext('test', 'w1'));
    await until('webhook-delivery-ended.v1', 2);
    expect(receiver.received.map(idOf)).toEqual([deliveryId, deliveryId]);
    expect(receiver.received[1]!.body).toBe(receiver.received[0]!.body);
  });
});
