import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Engines } from '#gpu-runner/contract/engines.js';
import { servedBy } from '#gpu-runner/engines/vllm/registration.js';
import { checkServers } from '#gpu-runner/engines/vllm/server-settings.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { eventually } from '#test/support/eventually.js';
import { TrainingClient } from '#test/support/training-client.js';
import { CHAT, catalogIn } from '../decoder-engine/catalog.js';
import { parrot } from '../decoder-engine/registration.js';
import { says, startScriptedVllm, type ScriptedVllm } from './scripted-vllm.js';

const KEY = 'vllm-secret-key';
const engine = { ...parrot, name: 'peft-parrot', module: new URL('./peft-parrot.js', import.meta.url).href };
const rows = Array.from({ length: 4 }, (_, row) => ({
  messages: [
    { role: 'user', content: `where is parcel ${row}?` },
    { role: 'assistant', content: `In Lima, ${row}.` },
  ],
}));

describe('decoders of an engine that a vLLM server serves', () => {
  let api: TestApi;
  let client: TrainingClient;
  let vllm: ScriptedVllm;
  let folder: string;
  let shared: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vllm-serving-'));
    shared = join(folder, 'shared');
    await mkdir(shared);
    vllm = await startScriptedVllm({ model: CHAT, apiKey: KEY });
    const keyFile = join(folder, 'key');
    await writeFile(keyFile, KEY);
    const entry = { base: CHAT, base_url: vllm.url, adapters_dir: shared, api_key_file: keyFile };
    const served = new Engines(servedBy(checkServers({ servers: { rack: entry } }, {}), [engine]));
    api = await startTestApi({ modelCatalog: await catalogIn(folder) }, { engines: served });
    client = new TrainingClient(api);
    const content = rows.map((row) => JSON.stringify(row)).join('\n');
    await uploadDataset(api, { dataset_name: 'chats', dataset_type: 'decoder', filename: 'a.jsonl' }, content);
  });
  afterAll(async () => {
    await api.close();
    await vllm.close();
    await rm(folder, { recursive: true });
  });

  const trained = async (name: string): Promise<string> => {
    const { id } = await client.start({ base_model: CHAT, datasets: [{ name: 'chats' }], model_name: name });
    await client.ended(id);
    return id;
  };
  const ask = (model: string, more: object = {}) =>
    api.call('POST', '/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Where?' }], ...more });

  it('train with the engine, and answer from the server, each job with its own adapter', async () => {
    const [first, second] = [await trained('Parcels'), await trained('Letters')];
    vllm.script(says('In Lima.'));
    for (const model of [first, second]) {
      const { status, body } = await ask(model);
      expect([status, body.choices[0].message.content]).toEqual([200, 'In Lima.']);
      expect(body.usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 3 });
    }
    const models = vllm.asked.map(({ body }) => (body as { model: string }).model);
    expect(new Set(models).size).toBe(2);
    expect(models.every((model) => model.startsWith('anneal-'))).toBe(true);
    const { body: text } = await ask(first, { stream: true });
    expect(text).toContain('"content":"In "');
    expect(vllm.asked.at(-1)!.body).toMatchObject({ model: models[0] });
  });

  it("are billed by the server's token counts, and lose their files there when they are deleted", async () => {
    const id = await trained('Gone');
    await ask(id);
    await api.drained();
    const { body } = await api.call('GET', `/inferences?model_id=${id}`);
    expect(body.inferences[0]).toMatchObject({ input_tokens: 7, output_tokens: 3 });
    const adapters = async () => readdir(join(shared, (await readdir(shared))[0]!));
    const before = await adapters();
    await api.call('DELETE', `/felix/training-jobs/${id}`);
    await eventually(async () => (await adapters()).length === before.length - 1);
  });

  it('answer 503 while the server is down, without its address or key', async () => {
    const id = await trained('Lost');
    await vllm.close();
    const { status, body } = await ask(id);
    expect(status).toBe(503);
    expect(JSON.stringify(body)).not.toMatch(/127\.0\.0\.1|secret|provider/);
  });
});
