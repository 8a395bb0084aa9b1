import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostedModels, readProvidersOf } from '#calls/hosted/open.js';
import { Catalog } from '#models/catalog/catalog.js';
import { Background } from '#primitives/background/background.js';
import { eventually } from '#test/support/eventually.js';
import { ModelFiles } from './model-files.js';

describe('a key file that a provider no longer has a key in', () => {
  let folder: string;
  let files: ModelFiles;
  const logged: string[] = [];
  const hosted = () => hostedModels(readProvidersOf({ providers: join(folder, 'providers.json') }));
  let models: ReturnType<typeof hosted>;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'anneal-model-files-'));
    const key = join(folder, 'key');
    const acme = { style: 'openai', base_url: 'https://acme.example/v1', api_key_file: key };
    await writeFile(key, 'sk-first');
    await writeFile(join(folder, 'providers.json'), JSON.stringify({ providers: { acme } }));
    models = hosted();
    logged.length = 0;
    const told = (_: object, message: string) => void logged.push(message);
    const log = {
      error: ({ err }: { err?: Error }, message: string) => told({}, `${message}: ${err?.message}`),
      info: told,
    };
    files = new ModelFiles(
      { providers: join(folder, 'providers.json'), modelCatalog: null },
      {
        ...{ hosted: models, catalog: new Catalog({ models: [] }), openCatalog: () => new Catalog({ models: [] }) },
        record: () => Promise.resolve(),
      },
      new Background(log, null, () => new Promise((resolve) => setImmediate(resolve))),
    );
  });
  afterEach(async () => {
    await files.onApplicationShutdown();
    await models.close();
    await rm(folder, { recursive: true });
  });

  it.each([
    ['is empty', () => writeFile(join(folder, 'key'), ' \n'), /api_key_file names no key: the file is empty/],
    ['was deleted', () => rm(join(folder, 'key')), /api_key_file cannot be read: ENOENT/],
  ])(
    '%s: the key before is sent, the log says once why, and /health is degraded until there is one',
    async (_, lose, why) => {
      await lose();
      await eventually(async () => (await files.health.check()).status === 'degraded');
      expect(models.providers.get('acme')!.key).toBe('sk-first');
      expect(logged).toEqual([expect.stringMatching(why)]);
      // Whole at once: a file that is being written may be read while it is empty.
      await writeFile(join(folder, 'new-key'), 'sk-second');
      await rename(join(folder, 'new-key'), join(folder, 'key'));
      await eventually(async () => (await files.health.check()).status === 'up');
      expect(models.providers.get('acme')!.key).toBe('sk-second');
      expect(logged).toEqual([expect.stringMatching(why), 'model-files works again']);
    },
  );
});
