import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newApiKey } from '#primitives/secrets/index.js';
import { Settings } from '#settings/index.js';
import { placesOnServers, type Places } from '#test/deployments/test-api.js';
import { describeDistributed } from '#test/deployments/with-servers.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { removeFolder } from '#test/support/remove-folder.js';
import { migrate } from './migration.js';

const { signal } = new AbortController();

describeDistributed('npx anneal migrate on servers', () => {
  let root: string;
  let places: Places;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'anneal-migration-'));
    places = await placesOnServers();
  });
  afterAll(async () => {
    await places.remove();
    await removeFolder(root);
  });

  it('moves a whole system from a folder to EventStoreDB, MongoDB and S3, and from there to a folder', async () => {
    const embedded = { eventStore: null, readStore: null, coordination: null, bus: null, objectStore: null };
    const folder = (name: string, secretKey?: string) =>
      new Settings({ ...embedded, dataDir: join(root, name), logLevel: 'silent', ...(secretKey && { secretKey }) });
    const started = async (settings: Settings, bootstrapApiKey = newApiKey()) => {
      const api = await startTestApi({ ...settings, port: 0, bootstrapApiKey });
      await api.drained();
      return api;
    };
    const first = await started(folder('first'));
    const call = { model_id: 'anneal/encoder-base-v1', text: 'Ada lives in London.', schema: ['city'] };
    const { inference_id } = (await first.call('POST', '/inference', call)).body as { inference_id: string };
    await first.call('POST', `/inferences/${inference_id}/feedback`, { verdict: 'correct', notes: 'seen' });
    await first.drained();
    const paths = [
      `/inferences/${inference_id}`,
      `/inferences/${inference_id}/feedback`,
      '/list-api-keys',
      '/projects',
    ];
    const asked = (api: TestApi) =>
      Promise.all(paths.map(async (path) => (await api.call('GET', path)).body as unknown));
    const answers = await asked(first);
    await first.close();
    expect(answers[0]).toMatchObject({ id: inference_id });

    const secretKey = await readFile(join(root, 'first', 'secret.key'), 'utf8');
    const servers = new Settings({ ...places.settings, dataDir: join(root, 'beside'), logLevel: 'silent', secretKey });
    const moved = (from: Settings, to: Settings) => Array.fromAsync(migrate({ from, to, isDry: false, signal }));
    expect((await moved(folder('first'), servers)).at(-1)).toMatchObject({ step: 'migrated' });
    const distributed = await started(servers, first.key);
    expect(await asked(distributed)).toEqual(answers);
    await distributed.close();

    await moved(servers, folder('back', secretKey));
    const back = await started(folder('back', secretKey), first.key);
    expect(await asked(back)).toEqual(answers);
    await back.close();
  });
});
