import { readFileSync } from 'node:fs';
import type { Example } from '#gpu-runner/engines/engine.js';

/** A sentence with all its entities under the labels of its kind. */
export interface Sentence extends Example {
  /** Kinds have labels of their own, from "politics" to "chat". */
  readonly kind: string;
  /** "first" sentences were written first, densely, as encyclopedias, news and messages are; "second" ones apart from them, otherwise. */
  readonly part: 'first' | 'second';
}

/** All sentences that `anneal/encoder-small-v1` learned to judge unknown labels from. */
export function readSentences(): readonly Sentence[] {
  const lines = readFileSync(new URL('../../../tools/zero-shot/sentences.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as Sentence);
}

/** Labels of each kind, in the order of their first sentences. */
export function labelsOfKinds(sentences: readonly Sentence[]): ReadonlyMap<string, readonly string[]> {
  const kinds = Map.groupBy(sentences, ({ kind }) => kind);
  return new Map(
    [...kinds].map(([kind, own]) => [
      kind,
      [...new Set(own.flatMap(({ entities = [] }) => entities.map(({ label }) => label)))],
    ]),
  );
}
