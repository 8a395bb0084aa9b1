/**
 * Learns from `sentences.jsonl` how `anneal/encoder-small-v1` judges labels of entities that nothing was trained on:
 *
 *   node dist/tools/zero-shot/build.js <folder of packs>
 *
 * Takes some seconds. Processors of another kind give other last digits.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadBase } from '#gpu-runner/engines/builtin/inference/index.js';
import { builtin } from '#gpu-runner/engines/builtin/registration.js';
import { openPack } from '#gpu-runner/engines/packs/base.js';
import { ENCODER } from '#gpu-runner/engines/packs/facts.js';
import { PackTextEncoder } from '#gpu-runner/engines/packs/text-encoder.js';
import { findPack, knownPack } from '#models/packs/index.js';
import { fit, prepare } from './fitting.js';
import { readSentences } from './sentences.js';

const [packs = '.anneal/models'] = process.argv.slice(2);
const pack = findPack(knownPack(ENCODER.pack)!, [packs]);
if (pack === null) {
  console.error(`There is no pack ${ENCODER.pack} in ${packs}: run npx anneal models pull ${ENCODER.pack}`);
  process.exit(1);
}
const options = { wanted: 'sentence', maxKeptBytes: 0, whenFull: 'keep' } as const;
const encoder = new PackTextEncoder(openPack(ENCODER.pack, pack, 'sentence'), options);
const sentences = readSentences();
const weights = fit(prepare(sentences, loadBase(builtin.baseModels[0]!.directory).tagger, encoder), sentences);
const file = fileURLToPath(new URL('../../../gpu-runner/engines/packs/zero-shot/weights.json', import.meta.url));
writeFileSync(file, `${JSON.stringify(weights)}\n`);
console.log(`${sentences.length} sentences; written to ${file}`);
