import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ClassHit, Engine, Example, LoadedModel, Prediction, Span } from '#gpu-runner/engines/engine.js';
import { evaluationFigures } from '#gpu-runner/engines/evaluation-figures.js';
import { commanded } from './tiny-engine.js';

/**
 * Learns by heart what entities are called and which words the texts of a class have, in a moment, and takes commands from
 * rows as the tiny engine does. The base model is the built-in one.
 */
export const engine: Engine = {
  ...commanded({
    learn,
    load: (baseDirectory, adapterDirectory) =>
      adapterDirectory === null
        ? builtin().load(baseDirectory, null)
        : model(JSON.parse(readFileSync(join(adapterDirectory, 'learned.json'), 'utf8')) as Learned),
  }),
  embedder: (id) => builtin().embedder!(id),
};

// Few specs call the base model, and loading the built-in engine takes longer than a training here.
const require = createRequire(import.meta.url);
const builtin = (): Engine => (require('#gpu-runner/engines/builtin/index.js') as { readonly engine: Engine }).engine;

interface Learned {
  /** Labels by the name of an entity; null if no row is labelled for entities. */
  readonly names: Readonly<Record<string, string>> | null;
  /** How often each word is in texts of each class; null if no row has a class. */
  readonly words: Readonly<Record<string, Readonly<Record<string, number>>>> | null;
  readonly isMultiLabel: boolean;
}

function learn(rows: readonly Example[]): Learned {
  const spans = rows.filter(({ entities }) => entities);
  const classed = rows.filter(({ labels }) => labels);
  const names = spans.flatMap(({ text, entities = [] }) =>
    entities.map(({ start, end, label }) => [text.slice(start, end), label] as const),
  );
  const words: Record<string, Record<string, number>> = {};
  for (const { text, labels = [] } of classed)
    for (const label of labels)
      for (const word of wordsOf(text)) {
        const counts = (words[label] ??= {});
        counts[word] = (counts[word] ?? 0) + 1;
      }
  return {
    names: spans.length > 0 ? Object.fromEntries(names) : null,
    words: classed.length > 0 ? words : null,
    isMultiLabel: classed.some(({ labels = [] }) => labels.length !== 1),
  };
}

function model({ names, words, isMultiLabel }: Learned): LoadedModel {
  const found = (text: string): Span[] => {
    const known = Object.entries(names ?? {}).toSorted(([one], [other]) => other.length - one.length);
    const spans: Span[] = [];
    for (const [name, label] of known)
      for (let start = text.indexOf(name); start >= 0; start = text.indexOf(name, start + 1)) {
        const end = start + name.length;
        if (!spans.some((span) => span.start < end && start < span.end)) spans.push({ start, end, label });
      }
    return spans.toSorted((one, other) => one.start - other.start);
  };
  const classes = (text: string): ClassHit[] => {
    const scores = Object.entries(words ?? {}).map(([label, counts]) => ({
      label,
      score: wordsOf(text).reduce((sum, word) => sum + (counts[word] ?? 0), 0) + 1e-3,
    }));
    const total = scores.reduce((sum, { score }) => sum + score, 0);
    return scores
      .map(({ label, score }) => ({ label, confidence: score / total }))
      .toSorted((one, other) => other.confidence - one.confidence);
  };
  const chosen = (hits: readonly ClassHit[], threshold: number) =>
    isMultiLabel ? hits.filter(({ confidence }) => confidence >= threshold) : hits.slice(0, 1);
  const predicted = ({ text }: Example): Prediction => {
    const spans = names && found(text);
    const best = words && chosen(classes(text), 0.3);
    return {
      text,
      ...(spans && { entities: spans, entityConfidences: spans.map(() => 1) }),
      ...(best && {
        labels: best.map(({ label }) => label),
        labelConfidences: best.map(({ confidence }) => confidence),
      }),
    };
  };
  return {
    abilities: {
      entityLabels: names && [...new Set(Object.values(names))].toSorted(),
      classLabels: words && Object.keys(words).toSorted(),
      multiLabel: isMultiLabel,
    },
    byteSize: 1_000,
    *infer({ texts, schema: { entities, classifications }, threshold }) {
      const results = texts.map((text) => {
        const hits = entities && found(text).map((span) => ({ ...span, text: text.slice(span.start, span.end) }));
        return {
          ...(entities && {
            entities: Object.fromEntries(
              entities.map(({ name }) => [
                name,
                hits!.filter(({ label }) => label === name).map((hit) => ({ ...hit, confidence: 1 })),
              ]),
            ),
          }),
          ...(classifications && {
            classifications: Object.fromEntries(
              classifications.map(({ task, labels, topK }) => {
                const asked = classes(text).filter(({ label }) => labels.includes(label));
                return [task, topK === undefined ? chosen(asked, threshold ?? 0.5) : asked.slice(0, topK)];
              }),
            ),
          }),
          truncated: false,
        };
      });
      return { results, warnings: [], inputTokens: texts.map((text) => wordsOf(text).length) };
    },
    evaluate(examples, onExample) {
      const predictions = examples.map((example) => {
        onExample?.();
        return predicted(example);
      });
      return { figures: evaluationFigures(examples, predictions), predictions };
    },
  };
}

const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
