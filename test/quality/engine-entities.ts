/**
 * Measures the entity head straight through the engine, without jobs or files:
 *
 *   node dist/test/quality/engine-entities.js --set snips --type full [--rows 500] [--seed 1] [--test] [--base folder|none]
 *
 * Without --test it judges on rows held out of the training file, which is what to tune on. Data sets are read from
 * $ANNEAL_SHARED_DIR/data (default ../shared/data).
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Example, Span, TrainingType, TrainSettings } from '#gpu-runner/engine/engine.js';
import {
  createEntityTrainer,
  defaultLearningRate,
  defaultEntitySchedule,
  loadBaseTagger,
  loadEntityHead,
  mappedHead,
  type BaseTagger,
  type EntityHead,
} from '#gpu-runner/engine/builtin/entities/index.js';
import { trainBaseTagger } from '#tools/base-model/base-training.js';
import { readBaseArtifact } from '#gpu-runner/engine/builtin/artifact/index.js';
import { resolveLabel, resolveLabels } from '#gpu-runner/engine/builtin/labels/index.js';
import { buildGazetteer } from '#gpu-runner/engine/builtin/features/gazetteer.js';
import { Random } from '#gpu-runner/engine/builtin/random.js';

const { values: args } = parseArgs({
  options: {
    set: { type: 'string', default: 'snips' },
    type: { type: 'string', default: 'full' },
    rows: { type: 'string', default: '0' },
    seed: { type: 'string', default: '3407' },
    epochs: { type: 'string' },
    rate: { type: 'string' },
    base: { type: 'string', default: 'gpu-runner/engine/builtin/base-model' },
    batch: { type: 'string' },
    test: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
    labels: { type: 'boolean', default: false },
  },
});

const folder = join(process.env['ANNEAL_SHARED_DIR'] ?? '../shared', 'data');
const seed = Number(args.seed);

function readRows(name: string): Example[] {
  return readFileSync(join(folder, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const { text, entities } = JSON.parse(line) as { text: string; entities: [string, string][] };
      return { text, entities: placeSpans(text, entities) };
    });
}

/** A pair means the first unused occurrence, left to right. */
function placeSpans(text: string, pairs: readonly (readonly [string, string])[]): Span[] {
  const spans: Span[] = [];
  for (const [surface, label] of pairs) {
    for (let start = text.indexOf(surface); start >= 0; start = text.indexOf(surface, start + 1)) {
      const end = start + surface.length;
      if (spans.some((span) => start < span.end && span.start < end)) continue;
      spans.push({ start, end, label });
      break;
    }
  }
  return spans;
}

interface Score {
  gold: number;
  found: number;
  right: number;
}

const f1 = ({ gold, found, right }: Score) => (gold + found === 0 ? 1 : (2 * right) / (gold + found));
const percent = (value: number) => (100 * value).toFixed(2);

function evaluate(head: EntityHead, rows: readonly Example[], threshold: number) {
  const total: Score = { gold: 0, found: 0, right: 0 };
  const byLabel = new Map<string, Score>();
  const of = (label: string) => {
    if (!byLabel.has(label)) byLabel.set(label, { gold: 0, found: 0, right: 0 });
    return byLabel.get(label)!;
  };
  for (const { text, entities = [] } of rows) {
    const { hits } = head.tag(text, threshold);
    for (const { label } of entities) of(label).gold++;
    for (const hit of hits) {
      of(hit.label).found++;
      if (entities.some((span) => span.start === hit.start && span.end === hit.end && span.label === hit.label)) {
        of(hit.label).right++;
      }
    }
  }
  for (const { gold, found, right } of byLabel.values()) {
    total.gold += gold;
    total.found += found;
    total.right += right;
  }
  return { total, byLabel };
}

function loadBase(): BaseTagger {
  if (args.base === 'none')
    return loadBaseTagger(trainBaseTagger([], { gazetteer: buildGazetteer([]), types: [], seed: 1 }));
  return loadBaseTagger(readBaseArtifact(args.base).heads['entities']!);
}

function main(): void {
  if (!existsSync(folder)) {
    console.log(`skipped: no data sets in ${folder}`);
    return;
  }
  const base = loadBase();
  let rows = readRows(`${args.set}.train.jsonl`);
  new Random(seed).shuffle(rows);
  const held = args.test ? readRows(`${args.set}.test.jsonl`) : rows.splice(0, Math.min(2000, rows.length / 6));
  if (Number(args.rows) > 0) rows = rows.slice(0, Number(args.rows));
  const validation = rows.splice(0, Math.round(rows.length * 0.1));
  if (args.type === 'zero-shot') {
    const labels = [...new Set(held.flatMap(({ entities = [] }) => entities.map(({ label }) => label)))];
    const { total } = evaluate(mappedHead(base, resolveLabels(labels)), held, 0.5);
    console.log(`${args.set} zero-shot: F1 ${percent(f1(total))} ${JSON.stringify(total)}`);
    return;
  }
  const trainingType = args.type as TrainingType;
  const schedule = defaultEntitySchedule(rows.length);
  const settings: TrainSettings = {
    trainingType,
    epochs: Number(args.epochs ?? schedule.epochs),
    learningRate: Number(args.rate ?? defaultLearningRate[trainingType]),
    batchSize: Number(args.batch ?? schedule.batchSize),
    earlyStoppingPatience: 3,
    loraR: 16,
    loraAlpha: 32,
    loraDropout: 0.1,
    scheduler: 'linear',
    warmupRatio: schedule.warmupRatio,
    weightDecay: 0.01,
    saveSteps: 0,
    seed,
    multiLabel: false,
  };
  const log = (message: string) => args.quiet || console.log(message);
  const start = performance.now();
  const seconds = () => ((performance.now() - start) / 1000).toFixed(1);
  const trainer = createEntityTrainer({ settings, train: rows, validation, startFrom: null, log }, base, resolveLabel);
  log(`prepared after ${seconds()} s`);
  let best = { f1: -1, loss: Infinity, epoch: 0, model: trainer.exportModel() };
  for (let epoch = 1; epoch <= settings.epochs; epoch++) {
    let loss = 0;
    for (let step = 0; step < trainer.stepsPerEpoch; step++) loss += trainer.step();
    const judged = trainer.validate();
    log(
      `epoch ${epoch}: loss ${(loss / trainer.stepsPerEpoch).toFixed(4)}, validation loss ${judged.loss.toFixed(4)}, ` +
        `F1 ${percent(judged.f1)}, ${seconds()} s`,
    );
    if (judged.f1 > best.f1 || (judged.f1 === best.f1 && judged.loss <= best.loss)) {
      best = { ...judged, epoch, model: trainer.exportModel() };
    }
  }
  const trained = `${seconds()} s (${((process.cpuUsage().user + process.cpuUsage().system) / 1e6).toFixed(1)} s of processor)`;
  const head = loadEntityHead(best.model, base);
  const begin = performance.now();
  const { total, byLabel } = evaluate(head, held, 0.5);
  const each = (performance.now() - begin) / held.length;
  const others = [0.2, 0.3, 0.4, 0.6].map((at) => `@${at} ${percent(f1(evaluate(head, held, at).total))}`).join(' ');
  console.log(
    `${args.set} ${args.type} ${rows.length} rows${args.test ? ' TEST' : ''}: F1 ${percent(f1(total))} (P ${percent(total.right / total.found)}, ` +
      `R ${percent(total.right / total.gold)}) ${others} best epoch ${best.epoch}, ${trained}, ${each.toFixed(3)} ms a row, ` +
      `${(head.byteSize / 1e6).toFixed(2)} MB, temperature ${Number(best.model.config['temperature'])}, decision point ${Number(best.model.config['decisionPoint'])}, rss ${Math.round(process.memoryUsage().rss / 1e6)} MB`,
  );
  if (!args.labels) return;
  for (const [label, score] of byLabel) console.log(label, percent(f1(score)), JSON.stringify(score));
}

main();
