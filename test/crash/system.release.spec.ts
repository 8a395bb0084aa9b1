import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '#apps/demo/client.js';
import { spawnSystem, type SpawnedSystem } from '#apps/demo/system.js';
import type { JsonObject } from '#domain/json.js';
import type { RecordedEvent } from '#ports/event-store/port.js';
import { openSqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { randomNumbers } from '#primitives/random-numbers.js';
import { newApiKey } from '#primitives/secrets/index.js';
import { eventually } from '#test/support/eventually.js';
import { removeFolder } from '#test/support/remove-folder.js';
import { trips } from '#test/support/trips.js';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.js';
import { flaws, ofType, repeated } from '../faults/support/log.js';
import type { Outcome } from '../faults/support/requests.js';
import { seeded } from '../faults/support/seed.js';
import { upload } from '../faults/support/training.js';
import { everything, MODEL, succeeded, type Heard } from './system.js';
import { unverifiedIn } from './verified.js';

const KILLS = Number(process.env['ANNEAL_SYSTEM_KILLS'] ?? 10);
const SEED = Number(process.env['ANNEAL_CRASH_SEED'] ?? Date.now() % 1_000_000);
/** Longest life between two kills, from the first answer on. */
const LIFE_MS = 2_500;
/** What the improvement under way is killed in, kill for kill; undefined: in whatever it is. */
const KILLED_IN = ['training', undefined, 'evaluating', undefined];
/** Longest time in a stage before the kill. */
const STAGE_MS = 400;
/** A job waits that long before its next attempt, after many that were lost to a runner (docs/start/training.md). */
const LONGEST_PAUSE_S = 600;
const HANGS_AFTER_MS = 600_000 + KILLS * 60_000;
const JOB = { base_model: 'anneal/encoder-base-v1', datasets: [{ name: 'trips' }], nr_epochs: 3, batch_size: 4 };

const IMPROVEMENTS = '/improvements?limit=100';
type Improvements = { readonly improvements: readonly { readonly status: string }[] };
const isOpen = ({ status }: { readonly status: string }) => !['done', 'failed', 'cancelled'].includes(status);

describe(`a whole system killed ${KILLS} times, seed ${SEED}`, () => {
  let directory: string;
  let receiver: WebhookReceiver;
  let heard: Heard;
  let log: readonly RecordedEvent[];
  /** What each verification between two lives said, if not that all holds. */
  const unverified: JsonObject[] = [];
  const key = newApiKey();

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-killed-'));
    receiver = await startWebhookReceiver();
    const random = randomNumbers(SEED);
    const settings = {
      ...{ ANNEAL_BOOTSTRAP_API_KEY: key, ANNEAL_RATE_LIMITS: 'off', ANNEAL_LOG_LEVEL: 'fatal' },
      ANNEAL_WEBHOOK_ORIGINS: receiver.origin,
    };
    const start = () => spawnSystem(directory, settings);
    let system: SpawnedSystem | null = await start();
    await prepare(new Client(system.url, key));
    const load = everything({ urls: () => (system ? [system.url] : []), key, random: seeded(SEED) });
    heard = load;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const killed: SpawnedSystem = system;
      const told = load.calls.size;
      const stage = KILLED_IN[kill % KILLED_IN.length];
      if (stage !== undefined) await isIn(stage, new Client(killed.url, key));
      else if (random() > 0.15) await eventually(() => load.calls.size > told);
      await sleep(random() * (stage === undefined ? LIFE_MS : STAGE_MS));
      system = null;
      await killed.end('SIGKILL');
      unverified.push(...(await unverifiedIn(directory)));
      system = await start();
    }
    await eventually(() => [load.corrected, load.erased, load.promoted].every((each) => count(each) > 0));
    await load.stop();
    const api = new Client(system.url, key);
    await api.until<Improvements>(
      IMPROVEMENTS,
      ({ improvements }) => !improvements.some(isOpen),
      LONGEST_PAUSE_S + 300,
    );
    const promotions = async () => (await readLog()).filter(({ type }) => type === 'model-version-promoted.v1').length;
    await system.end();
    const sent = await promotions();
    system = await start();
    await eventually(() => new Set(promotedMessages()).size >= sent);
    await system.end();
    unverified.push(...(await unverifiedIn(directory)));
    log = await readLog();
  }, HANGS_AFTER_MS);
  afterAll(async () => {
    await receiver.close();
    await removeFolder(directory);
  });

  /** A dataset of corrections, and a name with two versions of a trained model. */
  async function prepare(api: Client): Promise<void> {
    await upload(api, 'trips', trips(80));
    await upload(api, 'corrected', trips(40).replaceAll('wants to fly to', 'would rather travel by train to'));
    const { id } = await api.post<{ id: string }>('/felix/training-jobs', JOB);
    await api.until<{ status: string }>(`/felix/training-jobs/${id}`, ({ status }) => status === 'complete', 300);
    await api.post('/models', { name: MODEL });
    await api.post(`/models/${MODEL}/versions`, { training_job_id: id });
    await api.post(`/models/${MODEL}/versions`, { model_id: JOB.base_model });
    await api.post('/webhooks', { url: `${receiver.origin}/hook`, types: ['model.promoted'] });
  }

  const isIn = (stage: string, api: Client) =>
    eventually(async () =>
      (await api.get<Improvements>(IMPROVEMENTS)).improvements.some(({ status }) => status === stage),
    );

  async function readLog(): Promise<readonly RecordedEvent[]> {
    const store = await openSqliteEventStore({ directory });
    try {
      return await Array.fromAsync(store.readAll());
    } finally {
      await store.close();
    }
  }

  const count = (told: ReadonlyMap<string, Outcome>) => [...told.values()].filter(succeeded).length;
  const answered = (told: ReadonlyMap<string, Outcome>) =>
    [...told].flatMap(([name, outcome]) => (succeeded(outcome) ? [{ name, body: outcome.body as JsonObject }] : []));
  const promotedMessages = () =>
    receiver.received
      .filter(({ body }) => (JSON.parse(body) as { type: string }).type === 'model.promoted')
      .map(({ headers }) => String(headers['webhook-id']));
  const idsOf = (type: string, field = 'inferenceId') => ofType(log, type).map(({ data }) => data[field] as string);

  it('is verified by its audit after each kill', () => {
    expect(unverified).toEqual([]);
  });

  it('tells its clients nothing but yes, not now, or nothing at all', () => {
    const statuses = (told: ReadonlyMap<string, Outcome>) =>
      new Set([...told.values()].map((each) => (each.kind === 'answered' ? each.status : 0)));
    // 409: an improvement is under way.
    const { calls, corrected, erased, promoted, improved } = heard;
    const wrong = Object.entries({ calls, corrected, erased, promoted }).flatMap(([what, told]) =>
      [...statuses(told).difference(new Set([200, 503, 0]))].map((status) => `${what}: ${status}`),
    );
    expect(wrong).toEqual([]);
    expect([...statuses(improved).difference(new Set([200, 409, 503, 0]))]).toEqual([]);
  });

  it('has a log without a gap, with nothing twice, in one order', () => {
    expect(flaws(log)).toEqual([]);
    for (const type of ['call-metered.v1', 'feedback-given.v1', 'call-content-erased.v1'])
      expect(repeated(idsOf(type))).toEqual([]);
  });

  it('has all that was acknowledged: calls, corrections, erasures, promotions, improvements', () => {
    const missing = (asked: readonly string[], there: readonly string[]) => {
      const all = new Set(there);
      return asked.filter((id) => !all.has(id));
    };
    const calls = answered(heard.calls).map(({ body }) => body['inference_id'] as string);
    expect(calls.length).toBeGreaterThan(0);
    expect(missing(calls, idsOf('call-metered.v1'))).toEqual([]);
    const names = (told: ReadonlyMap<string, Outcome>) => answered(told).map(({ name }) => name);
    expect(missing(names(heard.corrected), idsOf('feedback-given.v1'))).toEqual([]);
    expect(missing(names(heard.erased), idsOf('call-content-erased.v1'))).toEqual([]);
    const improvements = answered(heard.improved).map(({ body }) => body['id'] as string);
    expect(missing(improvements, idsOf('improvement-requested.v1', 'improvementId'))).toEqual([]);
    const promotions = ofType(log, 'model-version-promoted.v1').filter(({ data }) => data['name'] === MODEL);
    const reasons = promotions.map(({ data }) => data['reason'] as string);
    expect(repeated(reasons)).toEqual([]);
    // One after another, so that a version which is acknowledged right after another one was not in use before.
    const acknowledged = [...heard.promoted].filter(([, outcome], at, all) => {
      const before = all[at - 1]?.[1];
      return succeeded(outcome) && before !== undefined && succeeded(before);
    });
    expect(acknowledged.length).toBeGreaterThan(0);
    const versions = acknowledged.map(([name]) => name);
    expect(missing(versions, reasons)).toEqual([]);
  });

  it('ends each improvement once', () => {
    const requested = idsOf('improvement-requested.v1', 'improvementId');
    expect(requested.length).toBeGreaterThan(0);
    expect(repeated(requested)).toEqual([]);
    expect(idsOf('improvement-ended.v1', 'improvementId').toSorted()).toEqual(requested.toSorted());
  });

  it('sends a message of each promotion, and none of anything else', () => {
    const promotions = ofType(log, 'model-version-promoted.v1');
    expect(new Set(promotedMessages()).size).toBe(promotions.length);
  });
});
