import { chmod, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from '#apps/demo/client.js';
import { uploadDataset } from '#apps/demo/upload.js';
import { spawnSystem, type SpawnedSystem } from '#apps/demo/system.js';
import type { Labelled } from '#domain/distillation/index.js';
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
const KILLED_IN = ['collecting', 'training', 'validating', 'in_use', 'labelling'] as const;
const CALLS = 60;
/** Texts that the last one has labelled first. */
const TEXTS = 40;
const HANGS_AFTER_MS = 1_800_000;
const QUEUES = { billing: 'invoice', shipping: 'parcel', account: 'password' };
type Queue = keyof typeof QUEUES;

const CHANGE = `UPDATE events SET data = replace(data, '0.9', '0.1'), checksum = NULL`;
/** What somebody with the stopped folder does to a copy of it, and the problem that the audit names. */
const ATTACKS: readonly (readonly [string, (folder: string, earlier: string) => Promise<void>, RegExp])[] = [
  ['another task is what the student is asked', (folder) => spoil(folder, /collected\.json$/), /object/],
  ['other rows were learned', (folder) => spoil(folder, /\/feedback\/.*rows\.jsonl$/), /object/],
  ['the model has other weights', (folder) => spoil(folder, /jobs\/.*(model|weights|heads)/), /object/],
  ['each file beside the weights is another', (folder) => spoil(folder, /jobs\//, Infinity), /object/],
  ['the judged calls were other ones', (folder) => spoil(folder, /evaluations\/.*predictions/), /object/],
  [
    'the student is sure of less',
    (folder) => sql(folder, `${CHANGE} WHERE data LIKE '%"threshold":%'`),
    /changed|unsealed/,
  ],
  [
    'calls were compared otherwise',
    (folder) => sql(folder, `${CHANGE} WHERE data LIKE '%"cascade":%' OR data LIKE '%targetAgreement%'`),
    /changed|unsealed/,
  ],
  [
    'the last event is gone',
    (folder) => sql(folder, 'DELETE FROM events WHERE position = (SELECT max(position) FROM events)'),
    /removed|unsealed/,
  ],
  ['the seal is gone', (folder) => sql(folder, `DELETE FROM meta WHERE name LIKE 'sealed%'`), /unsealed/],
  [
    'an older log is put back over newer objects',
    (folder, earlier) => cp(earlier, folder, { recursive: true, force: true }),
    /removed|tree/,
  ],
];

/** Changes the last byte of files whose path matches. */
async function spoil(folder: string, path: RegExp, most = 1): Promise<void> {
  const files = (await readdir(join(folder, 'objects'), { recursive: true, withFileTypes: true }))
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
    .filter((each) => path.test(each));
  expect(files).not.toEqual([]);
  for (const file of files.slice(0, most)) {
    const bytes = await readFile(file);
    bytes[bytes.length - 1]! ^= 1;
    await chmod(file, 0o600);
    await writeFile(file, bytes);
  }
}

async function sql(folder: string, statement: string): Promise<void> {
  const file = new DatabaseSync(join(folder, 'log.db'));
  expect(file.prepare(statement).run().changes).toBeGreaterThan(0);
  file.close();
}

describe('a system killed in each stage of a distillation', () => {
  let directory: string;
  let elsewhere: string;
  let provider: ScriptedProvider;
  let hosted: HostedSettings;
  let log: readonly RecordedEvent[];
  const outcomes: unknown[] = [];
  const unverified: JsonObject[] = [];
  const key = newApiKey();

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-distilled-'));
    elsewhere = await mkdtemp(join(tmpdir(), 'anneal-attacked-'));
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
    await upload(new Client(system.url, key));
    for (const stage of KILLED_IN) {
      const { id } = await new Client(system.url, key).post<{ id: string }>(
        `/models/in-${stage}/distil`,
        stage === 'labelling' ? { ...ORDER, label: { dataset: { name: 'more' }, budget: 1 } } : ORDER,
      );
      const at = async () => (await new Client(system.url, key).get<Distillation>(`/distillations/${id}`)).status;
      await eventually(at, (status) => status === stage || status === 'in_use');
      await system.end('SIGKILL');
      unverified.push(...(await unverifiedIn(directory)));
      if (outcomes.length === 1) await keepLog();
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
    await removeFolder(elsewhere);
  });

  async function keepLog(): Promise<void> {
    const files = (await readdir(directory)).filter((name) => name.startsWith('log.db'));
    for (const name of files) await cp(join(directory, name), join(elsewhere, 'earlier', name));
  }

  /** Calls of the teacher to one task. */
  async function record(api: Client): Promise<void> {
    for (let call = 0; call < CALLS; call += 1) {
      const content = textOf(call);
      const messages = [
        { role: 'system', content: 'Answer with the queue of the ticket.' },
        { role: 'user', content },
      ];
      await api.post('/v1/chat/completions', { model: 'acme/chat', messages });
    }
  }

  async function upload(api: Client): Promise<void> {
    const rows = Array.from({ length: TEXTS }, (_, at) => ({ text: textOf(CALLS + at), label: 'unknown' }));
    const content = Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
    const order = { dataset_name: 'more', dataset_type: 'classification', filename: 'more.jsonl' } as const;
    await uploadDataset(api, order, content);
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

  it('has each text labelled once, or says that it is not', () => {
    const [labelled, ...more] = ofType(log, 'distillation-labelled.v1').map(({ data }) => data);
    expect(more).toEqual([]);
    expect(ofType(log, 'batch-requested.v1')).toHaveLength(1);
    const { labelled: answered, notLabelled, reason } = labelled as unknown as Labelled;
    expect([answered + notLabelled, reason === null]).toEqual([TEXTS, notLabelled === 0]);
    const asked = ofType(log, 'call-metered.v1').filter(({ metadata }) => metadata.correlationId?.startsWith('batch_'));
    const ok = asked.filter(({ data }) => data['errorType'] === null);
    expect(new Set(ok.map(({ metadata }) => metadata.correlationId)).size).toBe(ok.length);
    expect(ok.length).toBeGreaterThanOrEqual(answered);
  });

  it.each(ATTACKS)('betrays to its audit that %s', async (_, attack, problems) => {
    const copy = join(elsewhere, 'copy');
    await cp(directory, copy, { recursive: true });
    try {
      await attack(copy, join(elsewhere, 'earlier'));
      const found = await unverifiedIn(copy);
      expect(found.length).toBeGreaterThan(0);
      expect(JSON.stringify(found.map(({ problem }) => problem))).toMatch(problems);
    } finally {
      await rm(copy, { recursive: true });
    }
  });
});

const textOf = (at: number): string =>
  `Hello, please look at the ${Object.values(QUEUES)[at % 3]!} of order ${at}, since ${at * 7} days have passed.`;

interface Distillation {
  readonly status: string;
}

const ORDER = { teacher: 'acme/chat', target_agreement: 0.9, audit_share: 0 };
const ENDED = ['in_use', 'candidate', 'refused', 'failed', 'cancelled'];
