import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbedder } from '#gpu-runner/engines/builtin/embedder/index.js';
import { loadBase } from '#gpu-runner/engines/builtin/inference/base.js';
import { repeated, UNITS } from '#gpu-runner/engines/builtin/inference/hostile-units.fixture.js';
import { createModel } from '#gpu-runner/engines/builtin/inference/model.js';
import { writeTinyBase } from '#gpu-runner/engines/builtin/inference/tiny-base.fixture.js';
import { alignSpans } from '#gpu-runner/engines/builtin/text/alignment.js';
import { drain } from '#gpu-runner/engines/steps.js';
import { entityRow } from '#use-cases/generation/labelled-rows.js';
import { DEFAULT_LIMITS } from '#rows/formats/limits.js';
import { validateRow } from '#rows/formats/rows/validate.js';
import { scaled } from './size.js';

/**
 * `npm run bench -- hostile-texts`: CPU of this thread for texts, labels and rows that are crafted to be slow, beside the same for a
 * tenth of them, and beside prose. Linear work has a ratio of 10, quadratic work of 100.
 */

const PROSE = 'Maria Rossi flew from Lisbon to Berlin on 3 May, which nobody had expected. ';
const directory = await mkdtemp(join(tmpdir(), 'bench-hostile-'));
writeTinyBase(directory);
const model = createModel(loadBase(directory), {}, 0);
const embedder = createEmbedder(8_192);
await rm(directory, { recursive: true });

const schema = {
  entities: ['person', 'city', 'town'].map((name) => ({ name })),
  classifications: [{ task: 'mood', labels: ['positive', 'negative', 'refund'], multiLabel: false }],
};
const reading = (unit: string) => (length: number) => {
  const text = repeated(unit, length);
  drain(model.infer({ texts: [text], schema, threshold: 0.5 }));
  drain(embedder.embed([text], 256));
};

const LONG_TEXT = Array.from({ length: 3_000 }, (_, index) => `w${index}xy`).join(' ');
function labelling(count: number): void {
  const labels = Array.from({ length: count }, (_, index) => `label${index} of many words in one name`);
  const classifications = [{ task: 'x', labels, multiLabel: true }];
  drain(model.infer({ texts: [LONG_TEXT], schema: { classifications }, threshold: 0.5 }));
}

function aligning(entities: number): void {
  const spans = Array.from({ length: entities }, (_, at) => ({ start: 3 * at, end: 3 * at + 2, label: 'x' }));
  alignSpans('ab\n'.repeat(entities), spans);
}

function predicting(entities: number): void {
  const hits = Array.from({ length: entities }, (_, at) => ({
    ...{ text: 'Paris', confidence: 0.9, start: 8 * at, end: 8 * at + 5 },
  }));
  entityRow('Paris 👩 '.repeat(entities), { entities: { city: hits } });
}

function searching(length: number): void {
  const half = 'a'.repeat(length / 6);
  validateRow({ text: half.repeat(6), entities: [[`${half}b${half}`, 'x']] }, 'custom', DEFAULT_LIMITS);
}

const CASES: readonly (readonly [name: string, size: number, run: (size: number) => void])[] = [
  ['prose', 100_000, reading(PROSE)],
  ...Object.entries(UNITS).map(([name, unit]) => [name, 100_000, reading(unit)] as const),
  ['many labels', 1_000, labelling],
  ['a row with many entities', 40_000, aligning],
  ['a row of many predictions', 20_000, predicting],
  ['a row with a long entity', 600_000, searching],
];

const figures = CASES.map(([name, usual, run]) => {
  const large = scaled(usual, 100);
  const small = Math.ceil(large / 10);
  run(small);
  const [smallMs, largeMs] = [cpuMs(() => run(small)), cpuMs(() => run(large))];
  // The clock counts whole milliseconds on some machines.
  return { name, size: large, smallMs, largeMs, ratio: smallMs < 2 ? null : largeMs / smallMs };
});
console.table(
  Object.fromEntries(
    figures
      .toSorted((a, b) => (b.ratio ?? 0) - (a.ratio ?? 0))
      .map(({ name, size, smallMs, largeMs, ratio }) => [
        name,
        { size, 'CPU ms': largeMs.toFixed(1), 'of a tenth': smallMs.toFixed(1), ratio: ratio?.toFixed(1) ?? '-' },
      ]),
  ),
);
console.log(JSON.stringify({ bench: 'hostile-texts', figures }));

function cpuMs(run: () => void): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
