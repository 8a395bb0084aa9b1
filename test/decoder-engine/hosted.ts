import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestApi, type TestSystem } from '#test/support/api.js';
import { hostedSettings } from '#test/support/hosted-settings.js';
import { startScriptedProvider, type ScriptedProvider } from '#test/support/scripted-provider.js';
import { catalogIn, engines } from './catalog.js';

interface CatalogFile {
  readonly models: readonly { readonly id: string }[];
}

const read = async (file: string) => JSON.parse(await readFile(file, 'utf8')) as CatalogFile;

/** A whole system with the parrots and a scripted provider of `acme/chat`. */
export async function startParrotsAndHosted(): Promise<{
  readonly api: TestSystem;
  readonly provider: ScriptedProvider;
}> {
  const directory = await mkdtemp(join(tmpdir(), 'parrots-'));
  const provider = await startScriptedProvider();
  const hosted = await hostedSettings(provider.url);
  const { modelCatalog } = hosted.values;
  const [own, all] = await Promise.all([read(modelCatalog), read(await catalogIn(directory))]);
  const parrots = all.models.filter(({ id }) => id.startsWith('test/'));
  await writeFile(modelCatalog, JSON.stringify({ ...own, models: [...own.models, ...parrots] }));
  const api = await startTestApi(hosted.values, { engines });
  const close = async () => {
    await api.close();
    await hosted.remove();
    await provider.close();
    await rm(directory, { recursive: true });
  };
  return { api: { ...api, close }, provider };
}
