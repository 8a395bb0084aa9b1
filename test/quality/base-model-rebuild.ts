/**
 * Builds the base model again and compares it with the committed one, file by file:
 *
 *   node dist/test/quality/base-model-rebuild.js
 *
 * Ends with status 1 when a byte differs: then sources were changed without `npm run build:base-model`.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeArtifact } from '#gpu-runner/engines/builtin/artifact/index.js';
import { buildBaseModel } from '#tools/base-model/base-model.js';

const committed = fileURLToPath(new URL('../../../gpu-runner/engines/builtin/base-model', import.meta.url));
const sha256 = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

/** Without folders: the table of words in one of them is made from an encoder pack (`tools/word-table`). */
const filesOf = (directory: string) =>
  readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

const start = performance.now();
const folder = mkdtempSync(join(tmpdir(), 'base-model-'));
try {
  const { artifact, card } = buildBaseModel(() => undefined);
  writeArtifact(folder, artifact, { card });
  const [here, again] = [filesOf(committed), filesOf(folder)];
  const names = [...new Set([...here, ...again])].sort();
  const differing = names.filter((name) => {
    const same =
      here.includes(name) && again.includes(name) && sha256(join(committed, name)) === sha256(join(folder, name));
    console.log(`${same ? 'same     ' : 'DIFFERENT'} ${name}`);
    return !same;
  });
  console.log(`built in ${((performance.now() - start) / 1000).toFixed(1)} s`);
  if (differing.length > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
