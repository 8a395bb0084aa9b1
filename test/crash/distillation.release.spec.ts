import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '#apps/demo/client.js';
import { spawnSystem, type SpawnedSystem } from '#apps/demo/system.js';
import type { JsonObject } from '#domain/json.js';
import type { RecordedEvent } from '#ports/event-store/port.js';
import { openSqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { newApiKey } from '#primitives/secrets/index.js';
import { eventually } from '#test/support/eventually.js';
import { hostedSettings, type HostedSettings } from '#test/support/hosted-settings.js';
import { removeFolder } from '#test/support/remove-folder.js';
import { answers } from '#test/support/scripted-answers.js';
import { startScriptedProvider, type ScriptedProvider } from '#test/support/scripted-provider.js';
import { flaws, ofType } from '../faults/support/log.js';
import { unverifiedIn } from './verified.js';

/** After which a distillation is killed: it stands in one of these stages, or has just ended. */
const KILLED_IN = ['collecting', 'training', 'validating', 'in_use'] as const;
const CALLS = 60;
const HANGS_AFTER_MS = 1_800_000;
const QUEUES = { billing: 'invoice', shipping: 'parcel', account: 'password' };
type Queue = keyof typeof QUEUES;

describe('a system killed in each stage of a distillation', () => {
  let directory: string;
  let provider: ScriptedProvider;
  let hosted: HostedSettings;
  let log: readonly RecordedEvent[];
  const outcomes: unknown[] = [];
  const unverified: JsonObject[] = [];
  const key = newApiKey();

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-distilled-'));
    provider = await startScriptedProvider((response, request) => {
      const text = request.body.messages.at(-1).content as string;
      const queue = (Object.keys(QUEUES) as Queue[]).find((each) => text.includes(QUEUES[each]))!;
      return answers(queue)(response, request);
    });
    hosted = await hostedSettings(provider.url);
    const settings = {
      ...{ ANNEAL_BOOTSTRAP_API_KEY: key, ANNEAL_RATE_LIMITS: 'off', ANNEAL_LOG_LEVEL: 'fatal' },
      ...{ ANNEAL_MODEL_CATALOG: hosted.values.modelCatalog, ANNEAL_PROVIDERS: hosted.values.providers },
    };
    const start = () => spawnSystem(directory, settings);
    let system: SpawnedSystem = await start();
    await record(new Client(system.url, key));
    for (const stage of KILLED_IN) {
      const { id } = await new Client(system.url, key).post<{ id: string }>(`/models/in-${stage}/distil`, ORDER);
      const at = async () => (await new Client(system.url, key).get<Distillation>(`/distillations/${id}`)).status;
      await eventually(at, (status) => status === stage || status === 'in_use');
      await system.end('SIGKILL');
      unverified.push(...(await unverifiedIn(directory)));
      system = await start();
      outcomes.push(await eventually(at, (status) => ENDED.includes(status)));
    }
    await system.end();
    unverified.push(...(await unverifiedIn(directory)));
    const store = await openSqliteEventStore({ directory });
    log = await Array.fromAsync(store.readAll());
    await store.close();
  }, HANGS_AFTER_MS);
  afterAll(async () => {
    await provider.close();
    await hosted.remove();
    await removeFolder(directory);
  });

  /** Calls of the teacher to one task. */
  async function record(api: Client): Promise<void> {
    for (let call = 0; call < CALLS; call += 1) {
      const word = Object.values(QUEUES)[call % 3]!;
      const content = `Hello, please look at the ${word} of order ${call}, since ${call * 7} days have passed.`;
      const messages = [
        { role: 'system', content: 'Answer with the queue of the ticket.' },
        { role: 'user', content },
      ];
      await api.post('/v1/chat/completions', { model: 'acme/chat', messages });
    }
  }

  it('is verified by its audit after each kill', () => {
    expect(unverified).toEqual([]);
    expect(flaws(log)).toEqual([]);
  });

  it('ends each with a version of its own, and takes no step twice', () => {
    expect(outcomes).toEqual(KILLED_IN.map(() => 'in_use'));
    for (const type of [
      ...['distillation-requested.v1', 'distillation-collected.v1', 'distillation-training-started.v1'],
      ...['distillation-validation-started.v1', 'distillation-calibrated.v1', 'distillation-ended.v1'],
    ])
      expect([type, ofType(log, type).length]).toEqual([type, KILLED_IN.length]);
    expect(ofType(log, 'model-version-added.v1')).toHaveLength(KILLED_IN.length);
  });
});

interface Distillation {
  readonly status: string;
}

const ORDER = { teacher: 'acme/chat', target_agreement: 0.9, audit_share: 0 };
const ENDED = ['in_use', 'candidate', 'refused', 'failed', 'cancelled'];
