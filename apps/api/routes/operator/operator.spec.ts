import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { eventually } from '#test/support/eventually.js';
import { decodeSecret } from '#primitives/secrets/index.js';
import { Settings } from '#settings/index.js';
import { recordSettings } from '#use-cases/operator/settings-record.js';
import { settingsInForce } from '#use-cases/operator/settings-in-force.js';

describe("the operator's view", () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi({ logLevel: 'silent', adminPassword: 'a long secret word' });
  });
  afterAll(() => api.close());

  it('is open to the user whom the settings name first, by key and by session', async () => {
    for (const path of ['/runners', '/queue', '/settings', '/settings/changes'])
      for (const headers of [{ 'x-api-key': api.key }, { authorization: `Bearer ${api.session}` }])
        expect((await api.call('GET', path, undefined, headers as Record<string, string>)).status).toBe(200);
  });

  it('is closed to everybody else, even in the same team', async () => {
    const { key, session } = await api.colleague();
    for (const path of ['/runners', '/queue', '/settings', '/settings/changes']) {
      for (const headers of [{ 'x-api-key': key }, { authorization: `Bearer ${session}` }]) {
        const { status, body } = await api.call('GET', path, undefined, headers);
        expect([status, JSON.stringify(body)]).toEqual([403, expect.stringContaining('ANNEAL_ADMIN_EMAIL')]);
      }
      expect((await api.call('GET', path, undefined, {})).status).toBe(401);
    }
  });

  it('lists runners with their engines, capacity and serving figures', async () => {
    const call = { model_id: 'anneal/encoder-base-v1', text: 'Maria left.', schema: ['person'] };
    await api.call('POST', '/inference', call);
    const { runners } = await eventually(
      async () => (await api.call('GET', '/runners')).body,
      (body) => body.runners[0]?.serving?.input_tokens > 0 && body.runners[0].engines.length > 0,
    );
    expect(runners).toEqual([
      {
        ...{ name: expect.any(String), present: true, last_heard_ms: expect.any(Number) },
        engines: expect.arrayContaining([
          {
            name: expect.any(String),
            version: expect.any(String),
            base_models: expect.arrayContaining(['anneal/encoder-base-v1']),
          },
        ]),
        room: { training: 1, evaluation: 1, export: 1 },
        ...{ attempts: [], loaded: [], loading: [], failed: [], generates: [] },
        serving: {
          ...{ in_process: 0, cached_bytes: 0, calls: 0, waiting_characters: 0, waiting_generations: 0 },
          ...{ input_tokens: expect.any(Number), output_tokens: 0 },
        },
      },
    ]);
  });

  it('counts waiting and running work of all workspaces, by kind', async () => {
    const colleague = { 'x-api-key': (await api.colleague()).key };
    const rows = readFileSync(join(import.meta.dirname, '../../../../../examples/support-tickets.jsonl'), 'utf8');
    await uploadDataset(api, { dataset_name: 'tickets' }, rows, colleague);
    const job = { model_name: 'm', base_model: 'anneal/encoder-base-v1', datasets: [{ name: 'tickets' }] };
    // Long enough to be seen on any machine.
    const long = { ...job, nr_epochs: 200, early_stopping_patience: 0 };
    const started: string[] = [];
    for (let count = 0; count < 2; count += 1)
      started.push((await api.call('POST', '/felix/training-jobs', long, colleague)).body.id);
    const queue = async () =>
      (await api.call('GET', '/queue')).body.queue as readonly { waiting: number; running: number }[];
    const both = await eventually(queue, (all) => all.some(({ running }) => running > 0));
    expect(both).toEqual([
      { kind: 'evaluation', waiting: 0, running: 0 },
      { kind: 'export', waiting: 0, running: 0 },
      { kind: 'training', waiting: 1, running: 1 },
    ]);
    for (const id of started) await api.call('POST', `/felix/training-jobs/${id}/stop`, undefined, colleague);
    await eventually(queue, (all) => all.every(({ waiting, running }) => waiting + running === 0));
  });

  it('lists each setting with its value, default and meaning, and no secret', async () => {
    const { settings } = (await api.call('GET', '/settings')).body;
    const of = (name: string) => settings.find((each: { name: string }) => each.name === name);
    expect(of('ANNEAL_DATA_DIR')).toMatchObject({ value: api.settings.dataDir, is_set: true, default: '.anneal' });
    expect(of('ANNEAL_RATE_LIMITS')).toMatchObject({ value: 'true', is_set: false, meaning: expect.any(String) });
    expect(of('ANNEAL_ADMIN_PASSWORD')).toMatchObject({ value: '(secret)', is_set: true });
    expect(JSON.stringify(settings)).not.toContain('a long secret word');
    expect(JSON.stringify(settings)).not.toContain(api.key);
  });

  it('lists recorded changes of settings, the newest first, each in a sentence', async () => {
    const recording = { application: api.application, secret: decodeSecret('s'.repeat(40)) };
    await recordSettings(recording, new Settings({ torchProcesses: 2 }), 'worker');
    await recordSettings(recording, new Settings({ torchProcesses: 4, hubToken: 'hf_secret' }), 'worker');
    const { changes } = (await api.call('GET', '/settings/changes')).body;
    const found = { of: 'worker', found_at: expect.any(String), by: expect.any(String) };
    const said = (what: string) => expect.stringContaining(`${what}, found at the start of worker by `);
    expect(changes).toEqual([
      {
        ...{ ...found, name: 'ANNEAL_HUB_TOKEN', before: null, after: expect.stringMatching(/^\(secret\) #/) },
        sentence: expect.stringContaining('ANNEAL_HUB_TOKEN was set to (secret) #'),
      },
      {
        ...{ ...found, name: 'ANNEAL_TORCH_PROCESSES', before: '2', after: '4' },
        sentence: said('ANNEAL_TORCH_PROCESSES changed from 2 to 4'),
      },
      {
        ...{ ...found, name: 'ANNEAL_TORCH_PROCESSES', before: null, after: '2' },
        sentence: said('ANNEAL_TORCH_PROCESSES was set to 2'),
      },
    ]);
    expect((await api.call('GET', '/settings/changes?limit=1')).body.changes).toHaveLength(1);
    for (const limit of ['0', '1001', 'x'])
      expect([400, 422]).toContain((await api.call('GET', `/settings/changes?limit=${limit}`)).status);
  });

  it('shows only the adapter of an address, never a user name or password', () => {
    const address = 'mongodb://name:passw0rd@host/db';
    const shown = settingsInForce(
      new Settings({
        eventStore: { adapter: 'eventstoredb', address: 'esdb://name:passw0rd@host' },
        ...{ readStore: { adapter: 'mongodb', address }, coordination: { adapter: 'mongodb', address } },
        contentKeys: { adapter: 'mongodb', address },
        bus: { adapter: 'nats', address: 'nats://name:passw0rd@host' },
        objectStore: { kind: 's3', address: 's3://bucket?secret=passw0rd' },
        ...{ hubUrl: 'https://name:passw0rd@hub.example', secretKey: 'passw0rd'.repeat(8) },
      }),
    );
    expect(JSON.stringify(shown)).not.toContain('passw0rd');
    const values = Object.fromEntries(shown.map(({ name, value }) => [name, value]));
    expect(values).toMatchObject({
      ...{ ANNEAL_EVENT_STORE: 'eventstoredb', ANNEAL_BUS: 'nats', ANNEAL_OBJECT_STORE: 's3' },
      ANNEAL_HUB_URL: 'https://hub.example',
    });
  });
});
