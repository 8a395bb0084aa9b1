/**
 * Measures every encoder pack of a folder of packs as an embedder (Spearman's correlation with the grades of the sentence pairs, CPU
 * milliseconds a text), and as a judge of labels that it has no examples of (accuracy on test rows of BANKING77 and SNIPS, where
 * those are in $ANNEAL_SHARED_DIR/data), beside the built-in model.
 *
 *   node dist/test/quality/packs.js FOLDER
 */
import { NameVectors, zeroShotClassifier } from '#gpu-runner/engines/builtin/classification/index.js';
import { loadBase } from '#gpu-runner/engines/builtin/inference/index.js';
import { conceptWords } from '#gpu-runner/engines/builtin/labels/index.js';
import { builtin } from '#gpu-runner/engines/builtin/registration.js';
import { createPackEmbedder } from '#gpu-runner/engines/packs/embedder.js';
import { PackEncoder } from '#gpu-runner/engines/packs/pack-encoder.js';
import { PackTextEncoder } from '#gpu-runner/engines/packs/text-encoder.js';
import { drain } from '#gpu-runner/engines/steps.js';
import { listPacks, readPack, type KnownPack } from '#models/packs/index.js';
import { correlation, readSentences } from './sentence-pairs.js';
import { onlyLabels, present, read, sample } from './sets.js';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: node dist/test/quality/packs.js FOLDER');
  process.exit(1);
}
const { pairs } = readSentences();
const figures = listPacks([folder]).flatMap(({ pack, folder: at }) =>
  at === null ? [] : [[pack.name, figuresOf(pack, at)] as const],
);
const { table } = loadBase(builtin.baseModels[0]!.directory);
const byWords = (words: typeof table) =>
  zeroShotFigures((labels) => zeroShotClassifier(labels, false, conceptWords, words));
console.table({
  'built-in': byWords(table),
  'built-in, no table of words': byWords(null),
  ...Object.fromEntries(figures),
});

function figuresOf(pack: KnownPack, at: string) {
  const encoder = new PackEncoder({ pack, ...readPack(pack, at) });
  const embedder = createPackEmbedder(encoder, pack.dimensions);
  const names = new NameVectors(
    new PackTextEncoder(encoder, { wanted: 'sentence', maxKeptBytes: 0, whenFull: 'keep' }),
  );
  const spearman = (part: string, dimensions: number) => {
    const embed = (texts: readonly string[]) => {
      const { vectors } = drain(embedder.embed(texts, dimensions));
      return texts.map((_, index) => vectors.subarray(index * dimensions, (index + 1) * dimensions));
    };
    const measured = pairs.filter((pair) => pair.part === part);
    return Number(correlation(embed, measured).toFixed(3));
  };
  const texts = pairs.flatMap(({ a, b }) => [a, b]);
  drain(embedder.embed(texts.slice(0, 20), pack.dimensions));
  const before = process.cpuUsage();
  drain(embedder.embed(texts, pack.dimensions));
  const { user, system } = process.cpuUsage(before);
  return {
    ...zeroShotFigures((labels) => drain(names.over(labels, false))),
    'held-out': spearman('held-out', pack.dimensions),
    development: spearman('development', pack.dimensions),
    'held-out, 128': spearman('held-out', 128),
    'ms a text': Number(((user + system) / 1_000 / texts.length).toFixed(1)),
    'tokens a text': Number(
      (texts.reduce((sum, text) => sum + encoder.tokens(text).length, 0) / texts.length).toFixed(1),
    ),
  };
}

function zeroShotFigures(over: (labels: readonly string[]) => (text: string) => Float64Array) {
  return Object.fromEntries(
    ['banking77.test', 'snips.test'].filter(present).map((set) => {
      const all = onlyLabels(read(set));
      const labels = [...new Set(all.map(({ label }) => label!))].sort();
      const choose = over(labels);
      const rows = sample(all, 500);
      const right = rows.filter(({ text, label }) => {
        const probabilities = choose(text);
        return labels[probabilities.indexOf(Math.max(...probabilities))] === label;
      });
      return [`${set}, by label names`, Number((right.length / rows.length).toFixed(3))];
    }),
  );
}
