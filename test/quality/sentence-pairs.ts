import { readFileSync } from 'node:fs';
import { BUILTIN_EMBEDDER } from '#gpu-runner/engines/builtin/embedder/facts.js';
import { drain } from '#gpu-runner/engines/steps.js';
import { createEmbedder } from '#gpu-runner/engines/builtin/embedder/index.js';
import { dot } from '#primitives/vectors.js';
import type { Embed } from './embedder-baselines.js';
import { spearman } from './statistics.js';

export interface Pair {
  /** `development`: looked at while the embedder was made. `held-out`: not. */
  readonly part: string;
  readonly domain: string;
  /** 0: nothing in common, to 5: the same meaning. */
  readonly grade: number;
  readonly a: string;
  readonly b: string;
}

export interface Question {
  readonly part: string;
  readonly query: string;
  /** The passage with the answer. */
  readonly passage: string;
}

/** Pairs of sentences and questions that were written for this project. */
export function readSentences(): { readonly pairs: readonly Pair[]; readonly retrieval: readonly Question[] } {
  return JSON.parse(readFileSync(new URL('./sentence-pairs.json', import.meta.url), 'utf8'));
}

/** The built-in embedder. */
export function builtIn(dimensions: number): Embed {
  const embedder = createEmbedder(BUILTIN_EMBEDDER.maxTokens);
  return (texts) => {
    const { vectors } = drain(embedder.embed(texts, dimensions));
    return texts.map((_, index) => vectors.subarray(index * dimensions, (index + 1) * dimensions));
  };
}

/** Rank correlation of the pairs' cosines with their grades. */
export const correlation = (embed: Embed, pairs: readonly Pair[]): number =>
  spearman(
    cosinesOf(embed, pairs),
    pairs.map(({ grade }) => grade),
  );

export function cosinesOf(embed: Embed, pairs: readonly Pair[]): number[] {
  const vectors = embed(pairs.flatMap(({ a, b }) => [a, b]));
  return pairs.map((_, index) => dot(vectors[2 * index]!, vectors[2 * index + 1]!));
}
