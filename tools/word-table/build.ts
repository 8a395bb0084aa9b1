/**
 * Builds the table of word vectors from an encoder pack:
 *
 *   node dist/tools/word-table/build.js <folder of packs> [folder]
 *
 * The second folder is by default the committed one. Takes some minutes; the same pack gives the same bytes on every machine.
 */
import { fileURLToPath } from 'node:url';
import { findPack } from '#models/packs/index.js';
import { SOURCE, writeWordTable } from './word-table.js';

const committed = fileURLToPath(new URL('../../../gpu-runner/engines/builtin/base-model/words', import.meta.url));

const [packs = '.anneal/models', directory = committed] = process.argv.slice(2);
const pack = findPack(SOURCE, [packs]);
if (pack === null) {
  console.error(`There is no pack ${SOURCE.name} in ${packs}: run npx anneal models pull ${SOURCE.name}`);
  process.exit(1);
}
const start = performance.now();
const seconds = () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
const sha256 = await writeWordTable(pack, directory, (message) => console.log(`${seconds()}: ${message}`));
console.log(`config sha256 ${sha256}, written to ${directory} after ${seconds()}`);
