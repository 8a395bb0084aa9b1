// Measures the built-in engine's classifier on public test sets, through the same door as the product: settings resolved by
// default, training, artifact on disk, loading, evaluation. Run on a build:
//   node dist/test/quality/engine-classification.js [banking77] [few-shot] [snips] [multi-head] [same-file]
// Data: <ANNEAL_SHARED_DIR, default ../shared>/data/<set>.{train,test}.jsonl; without it the script says "skipped".
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { engine } from '#gpu-runner/engine/builtin/index.js';
import { resolveSettings } from '#gpu-runner/engine/builtin/settings.js';
import { Random } from '#gpu-runner/engine/builtin/random.js';
import type { EvaluationFigures, Example, Span, TrainingType } from '#gpu-runner/engine/engine.js';
import { DATA_DIRECTORY, read } from './sets.js';

const baseDirectory = fileURLToPath(new URL('../../gpu-runner/engine/builtin/base-model', import.meta.url));

interface Outcome {
  readonly figures: EvaluationFigures;
  readonly trainSeconds: number;
  readonly millisecondsPerText: number;
  readonly megabytes: number;
  readonly epochs: number;
  readonly sha256: string;
}

const parts: Readonly<Record<string, () => Promise<void>>> = {
  async banking77() {
    for (const type of ['full', 'lora'] as const) print('Banking77, all rows', type, await measure('banking77', type));
  },
  async 'few-shot'() {
    for (const perClass of [5, 10, 30])
      for (const type of ['full', 'lora'] as const) {
        const outcomes: Outcome[] = [];
        for (const seed of [1, 2, 3]) outcomes.push(await measure('banking77', type, { perClass, seed }));
        const mean = outcomes.reduce((sum, { figures }) => sum + figures.accuracy, 0) / outcomes.length;
        print(
          `Banking77, ${perClass} rows a class, mean of 3 draws ${mean.toFixed(4)}; the last`,
          type,
          outcomes.at(-1)!,
        );
      }
  },
  async snips() {
    for (const type of ['full', 'lora'] as const)
      print('SNIPS intents', type, await measure('snips', type, { heads: ['labels'] }));
  },
  async 'multi-head'() {
    const outcome = await measure('snips', 'lora', { heads: ['labels', 'entities'] });
    print('SNIPS slots and intents', 'lora', outcome);
    console.log(`  heads: ${JSON.stringify(outcome.figures.heads)}`);
  },
  async 'same-file'() {
    const first = await measure('banking77', 'lora', { perClass: 5 });
    const second = await measure('banking77', 'lora', { perClass: 5 });
    console.log(
      `Same rows, settings and seed twice: ${first.sha256 === second.sha256 ? 'the same files' : 'OTHER FILES'}`,
    );
  },
};

interface Choice {
  readonly perClass?: number;
  readonly seed?: number;
  readonly heads?: readonly ('labels' | 'entities')[];
}

async function measure(set: string, trainingType: TrainingType, choice: Choice = {}): Promise<Outcome> {
  const { perClass = Infinity, seed = 3407, heads = ['labels'] } = choice;
  const [pool, test] = [examples(set, 'train', heads), examples(set, 'test', heads)];
  const rows = firstOfEachClass(new Random(seed).shuffle(pool), perClass);
  const held = Math.min(1000, Math.max(20, Math.round(rows.length / 10)));
  const [validation, train] = [rows.slice(0, held), rows.slice(held)];
  const settings = resolveSettings(
    {
      trainingType,
      rows: train.length,
      entityRows: heads.includes('entities') ? train.length : 0,
      classSizes: heads.includes('labels') ? classSizes(train) : [],
      multiLabel: false,
    },
    { seed },
  );
  const outputDirectory = mkdtempSync(join(tmpdir(), 'quality-'));
  try {
    const began = performance.now();
    const { artifactDirectory, epochsRun } = await engine.train(
      { settings, train, validation, baseDirectory, startFrom: null, resumeFrom: null, outputDirectory },
      () => undefined,
      new AbortController().signal,
    );
    const trained = performance.now();
    const model = engine.load(baseDirectory, artifactDirectory);
    const loaded = performance.now();
    const { figures } = model.evaluate(test);
    return {
      figures,
      trainSeconds: (trained - began) / 1000,
      millisecondsPerText: (performance.now() - loaded) / test.length,
      megabytes: model.byteSize / 1e6,
      epochs: epochsRun,
      sha256: sha256OfFolder(artifactDirectory),
    };
  } finally {
    rmSync(outputDirectory, { recursive: true, force: true });
  }
}

function examples(set: string, split: string, heads: readonly string[]): Example[] {
  return read(`${set}.${split}`).map(({ text, label, entities }) => ({
    text,
    ...(heads.includes('labels') && label !== undefined ? { labels: [label] } : {}),
    ...(heads.includes('entities') && entities !== undefined ? { entities: locate(text, entities) } : {}),
  }));
}

/** A pair means the first occurrence that no earlier pair has used. */
function locate(text: string, entities: readonly (readonly [string, string])[]): Span[] {
  const used = new Set<number>();
  return entities.flatMap(([surface, label]) => {
    let start = text.indexOf(surface);
    while (start >= 0 && used.has(start)) start = text.indexOf(surface, start + 1);
    if (start < 0) return [];
    used.add(start);
    return [{ start, end: start + surface.length, label }];
  });
}

function firstOfEachClass(rows: readonly Example[], perClass: number): Example[] {
  const taken = new Map<string, number>();
  return rows.filter((row) => {
    const label = row.labels?.[0] ?? '';
    taken.set(label, (taken.get(label) ?? 0) + 1);
    return taken.get(label)! <= perClass;
  });
}

function classSizes(rows: readonly Example[]): number[] {
  const sizes = new Map<string, number>();
  for (const label of rows.flatMap((row) => row.labels ?? [])) sizes.set(label, (sizes.get(label) ?? 0) + 1);
  return [...sizes.values()];
}

function sha256OfFolder(directory: string): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(directory).sort()) hash.update(file).update(readFileSync(join(directory, file)));
  return hash.digest('hex');
}

function print(what: string, type: TrainingType, outcome: Outcome): void {
  const { figures, trainSeconds, millisecondsPerText, megabytes, epochs } = outcome;
  console.log(
    `${what}, ${type}: accuracy ${figures.accuracy.toFixed(4)}, micro-F1 ${figures.f1.toFixed(4)}, ` +
      `macro-F1 ${figures.macroF1.toFixed(4)}; ${epochs} epochs in ${trainSeconds.toFixed(1)} s, ` +
      `${millisecondsPerText.toFixed(3)} ms a text, ${megabytes.toFixed(2)} MB`,
  );
}

if (!existsSync(DATA_DIRECTORY)) console.log(`skipped: no data in ${DATA_DIRECTORY}`);
else if (!existsSync(join(baseDirectory, 'config.json'))) console.log('skipped: the base model is not built');
else for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts)) await parts[name]!();
