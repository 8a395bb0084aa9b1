/**
 * Measures the base model alone, without any training:
 *
 *   node dist/test/quality/base-model.js [--base folder] [--threshold 0.5] [--labels] [--errors]
 *
 * On the project's everyday sentences under the model's own types (mistakes on the "tuning" ones led to templates; those on the
 * "unseen" ones were not looked at; the "late" ones were written when the templates were finished), and on WNUT-17 under that set's labels, read from $ANNEAL_SHARED_DIR/data (default ../shared/data).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Example, Span } from '#gpu-runner/engines/engine.js';
import { readBaseArtifact } from '#gpu-runner/engines/builtin/artifact/index.js';
import { resolveLabels } from '#gpu-runner/engines/builtin/labels/index.js';
import { loadBaseTagger, mappedHead, type EntityHead } from '#gpu-runner/engines/builtin/entities/index.js';
import { present, SETS } from './sets.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { values: args } = parseArgs({
  options: {
    base: { type: 'string', default: join(root, 'gpu-runner/engines/builtin/base-model') },
    threshold: { type: 'string', default: '0.5' },
    labels: { type: 'boolean', default: false },
    errors: { type: 'boolean', default: false },
  },
});
const threshold = Number(args.threshold);

interface Counts {
  right: number;
  found: number;
  gold: number;
}

const f1 = ({ right, found, gold }: Counts) => (found + gold === 0 ? 1 : (2 * right) / (found + gold));
const line = (name: string, counts: Counts) =>
  `${name.padEnd(28)} F1 ${f1(counts).toFixed(3)}  precision ${(counts.right / (counts.found || 1)).toFixed(3)}` +
  `  recall ${(counts.right / (counts.gold || 1)).toFixed(3)}  gold ${counts.gold}`;
const keyOf = ({ start, end, label }: Span) => `${start} ${end} ${label}`;

function measure(name: string, head: EntityHead, rows: readonly Example[]): void {
  const perLabel = new Map<string, Counts>();
  const of = (label: string) => {
    const counts = perLabel.get(label) ?? { right: 0, found: 0, gold: 0 };
    perLabel.set(label, counts);
    return counts;
  };
  const start = performance.now();
  for (const { text, entities = [] } of rows) {
    const { hits } = head.tag(text, threshold);
    const gold = new Set(entities.map(keyOf));
    const found = new Set(hits.map(keyOf));
    for (const span of entities) of(span.label).gold++;
    for (const hit of hits) {
      of(hit.label).found++;
      if (gold.has(keyOf(hit))) of(hit.label).right++;
    }
    const surplus = hits.filter((hit) => !gold.has(keyOf(hit)));
    const missed = entities.filter((span) => !found.has(keyOf(span)));
    if (args.errors && surplus.length + missed.length > 0) {
      const show = (sign: string, spans: readonly Span[]) =>
        spans.map((span) => `${sign}${span.label}:${text.slice(span.start, span.end)}`).join('  ');
      console.log(`${text}\n    ${show('+', surplus)}  ${show('-', missed)}`);
    }
  }
  const milliseconds = (performance.now() - start) / rows.length;
  const total = { right: 0, found: 0, gold: 0 };
  for (const { right, found, gold } of perLabel.values()) {
    total.right += right;
    total.found += found;
    total.gold += gold;
  }
  console.log(`${line(name, total)}  ${milliseconds.toFixed(2)} ms a row`);
  if (args.labels) for (const [label, counts] of [...perLabel].sort()) console.log(line(`  ${label}`, counts));
}

function readLines(path: string): unknown[] {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text) as unknown);
}

const entities = readBaseArtifact(args.base).heads['entities'];
if (entities === undefined) throw new Error(`${args.base} has no entity head.`);
const base = loadBaseTagger(entities);
const everyday = readLines(join(root, 'tools/base-model/everyday.jsonl')) as (Example & {
  part: string;
})[];
for (const part of ['tuning', 'unseen', 'late'])
  measure(
    `everyday, ${part}`,
    base,
    everyday.filter((row) => row.part === part),
  );

const wnut = SETS.find(({ name }) => name === 'wnut17')!;
if (wnut.files.every(present)) {
  const labels = ['person', 'location', 'corporation', 'group', 'product', 'creative-work'];
  measure('WNUT-17 test, zero-shot', mappedHead(base, resolveLabels(labels)), wnut.test());
} else console.log('WNUT-17: skipped, no data sets');
