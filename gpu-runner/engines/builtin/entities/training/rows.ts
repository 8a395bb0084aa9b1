import type { Example } from '../../../engine.js';
import type { Steps } from '../../../steps.js';
import { FeatureCounter, FeatureDictionary } from '../../features/dictionary.js';
import type { FeatureExtractor } from '../../features/extractor.js';
import { alignSpans } from '../../text/alignment.js';
import type { BaseTagger } from '../base-tagger.js';
import { Growing } from './growing.js';
import type { BasePrior } from '../prior.js';
import { tagCount, writeTags } from '../lattice/tags.js';
import { rowsWithVectors, type WordVectors } from '../word-vectors.js';

/** Labelled rows as numbers, ready for training or evaluation. Ranges are from `x[i]` to `x[i + 1]`. */
export interface CompiledRows {
  readonly rowCount: number;
  readonly segmentCount: number;
  readonly tokenCount: number;
  /** [rows + 1] into segments. */
  readonly rows: Int32Array;
  /** [segments + 1] into tokens. */
  readonly segments: Int32Array;
  /** [tokens + 1] into `features`. */
  readonly offsets: Uint32Array;
  /** Dictionary rows of the active features. */
  readonly features: Uint32Array;
  /** [tokens] gold tags. */
  readonly gold: Uint16Array;
  /** Prior scores that are not about zero, or null without a prior. */
  readonly prior: SparsePrior | null;
  /** Vectors of the tokens; null if none are learned from. */
  readonly vectors: RowVectors | null;
}

/** Word vectors, which rows share with those selected from them. */
interface RowVectors {
  readonly dimensions: number;
  /** Number of rows whose tokens have vectors. */
  readonly rows: number;
  /** Row-major [places, dimensions], as `WordVectors` stores them. */
  readonly numbers: Int8Array;
  /** [tokens] the index of each token's vector; those of a segment are consecutive. -1: it has none, which reads as zeros. */
  readonly places: Int32Array;
}

/** Tags and scores of token i are at `offsets[i]` up to `offsets[i + 1]`. */
interface SparsePrior {
  readonly offsets: Uint32Array;
  readonly tags: Uint16Array;
  readonly scores: Float32Array;
}

export interface AlignmentCounts {
  flattened: number;
  empty: number;
  cutTokens: number;
}

interface CompileContext {
  readonly labels: readonly string[];
  readonly extractor: FeatureExtractor;
  /** The tagger whose marginals are features (and prior, where there is one); null for none. */
  readonly base: BaseTagger | null;
  readonly prior: BasePrior | null;
  /** The vectors of words that are learned from, or null for none. */
  readonly words: WordVectors | null;
}

/**
 * Compiles training rows and makes the dictionary of the features they show.
 * @param minimumCount features seen less often are left out @param maximumFeatures above it the minimum is raised
 * @param known dictionaries whose features are kept in any case
 */
export function* compileTraining(
  examples: readonly Example[],
  context: CompileContext,
  minimumCount: number,
  counts: AlignmentCounts,
  maximumFeatures = Infinity,
  known: readonly FeatureDictionary[] = [],
): Steps<{ readonly rows: CompiledRows; readonly dictionary: FeatureDictionary }> {
  const counter = new FeatureCounter();
  for (const { high, low } of known) high.forEach((lane, row) => counter.add(lane, low[row]!));
  const always = counter.size;
  const raw = yield* compile(examples, context, counts, (high, low) => counter.add(high, low));
  let minimum = minimumCount;
  let frozen = counter.freeze(minimum, always);
  while (frozen.dictionary.size > Math.max(maximumFeatures, always)) frozen = counter.freeze(++minimum, always);
  return { rows: renumber(raw, frozen.rows), dictionary: frozen.dictionary };
}

/** Compiles rows with a fixed dictionary; unknown features are left out. */
export function compileKnown(
  examples: readonly Example[],
  context: CompileContext,
  dictionary: FeatureDictionary,
  counts: AlignmentCounts,
): Steps<CompiledRows> {
  return compile(examples, context, counts, (high, low) => dictionary.find(high, low));
}

/** The chosen rows, in the given order. */
export function selectRows(from: CompiledRows, chosen: readonly number[]): CompiledRows {
  const rows = [0];
  const segments = [0];
  const offsets = [0];
  const features: number[] = [];
  const gold: number[] = [];
  const priorOffsets = [0];
  const priorTags: number[] = [];
  const priorScores: number[] = [];
  const tokens: number[] = [];
  for (const row of chosen) {
    for (let segment = from.rows[row]!; segment < from.rows[row + 1]!; segment++) {
      for (let token = from.segments[segment]!; token < from.segments[segment + 1]!; token++) {
        for (let k = from.offsets[token]!; k < from.offsets[token + 1]!; k++) features.push(from.features[k]!);
        offsets.push(features.length);
        gold.push(from.gold[token]!);
        tokens.push(token);
        if (from.prior === null) continue;
        for (let k = from.prior.offsets[token]!; k < from.prior.offsets[token + 1]!; k++) {
          priorTags.push(from.prior.tags[k]!);
          priorScores.push(from.prior.scores[k]!);
        }
        priorOffsets.push(priorTags.length);
      }
      segments.push(gold.length);
    }
    rows.push(segments.length - 1);
  }
  return {
    rowCount: chosen.length,
    segmentCount: segments.length - 1,
    tokenCount: gold.length,
    rows: Int32Array.from(rows),
    segments: Int32Array.from(segments),
    offsets: Uint32Array.from(offsets),
    features: Uint32Array.from(features),
    gold: Uint16Array.from(gold),
    prior: from.prior && {
      offsets: Uint32Array.from(priorOffsets),
      tags: Uint16Array.from(priorTags),
      scores: Float32Array.from(priorScores),
    },
    vectors: from.vectors && {
      ...from.vectors,
      places: Int32Array.from(tokens, (token) => from.vectors!.places[token]!),
    },
  };
}

function* compile(
  examples: readonly Example[],
  { labels, extractor, base, prior, words }: CompileContext,
  counts: AlignmentCounts,
  rowOf: (high: number, low: number) => number,
): Steps<CompiledRows> {
  const labelIndex = new Map(labels.map((label, index) => [label, index]));
  const tags = tagCount(labels.length);
  const rows = new Growing(Int32Array);
  const segments = new Growing(Int32Array);
  const offsets = new Growing(Uint32Array);
  const features = new Growing(Uint32Array);
  const gold = new Growing(Uint16Array);
  const priorOffsets = new Growing(Uint32Array);
  const priorTags = new Growing(Uint16Array);
  const priorScores = new Growing(Float32Array);
  const vectors = new Growing(Int8Array);
  const places = new Growing(Int32Array);
  const isRead = words && rowsWithVectors(examples);
  rows.push(0);
  segments.push(0);
  offsets.push(0);
  priorOffsets.push(0);
  for (const [index, { text, entities }] of examples.entries()) {
    const aligned = alignSpans(text, entities ?? []);
    counts.flattened += aligned.flattened;
    counts.empty += aligned.empty;
    counts.cutTokens += aligned.cutTokens;
    for (const { tokens, spans } of aligned.segments) {
      const marginals = base?.marginals(tokens) ?? null;
      extractor.extract(tokens, base && marginals ? { marginals, tags: tagCount(base.labels.length) } : null);
      if (words) {
        const first = isRead![index] ? vectors.length / words.dimensions : -1;
        if (first >= 0) for (const number of words.of(tokens)) vectors.push(number);
        for (let i = 0; i < tokens.length; i++) places.push(first < 0 ? -1 : first + i);
      }
      const tagged = new Uint16Array(tokens.length);
      writeTags(
        tagged,
        0,
        spans.map(({ first, end, label }) => ({ first, end, label: labelIndex.get(label)! })),
        labels.length,
      );
      for (let i = 0; i < tokens.length; i++) {
        for (let k = extractor.offsets[i]!; k < extractor.offsets[i + 1]!; k++) {
          const row = rowOf(extractor.high[k]!, extractor.low[k]!);
          if (row >= 0) features.push(row);
        }
        offsets.push(features.length);
        gold.push(tagged[i]!);
        if (prior && marginals) {
          const scores = prior.scores(marginals, i);
          for (let tag = 0; tag < tags; tag++) {
            if (scores[tag]! < 0.05) continue;
            priorTags.push(tag);
            priorScores.push(scores[tag]!);
          }
          priorOffsets.push(priorTags.length);
        }
      }
      segments.push(gold.length);
      yield;
    }
    rows.push(segments.length - 1);
  }
  return {
    rowCount: rows.length - 1,
    segmentCount: segments.length - 1,
    tokenCount: gold.length,
    rows: rows.take(),
    segments: segments.take(),
    offsets: offsets.take(),
    features: features.take(),
    gold: gold.take(),
    prior: prior && base ? { offsets: priorOffsets.take(), tags: priorTags.take(), scores: priorScores.take() } : null,
    vectors: words && {
      dimensions: words.dimensions,
      rows: isRead!.filter(Boolean).length,
      numbers: vectors.take(),
      places: places.take(),
    },
  };
}

function renumber(raw: CompiledRows, rows: Int32Array): CompiledRows {
  const offsets = new Uint32Array(raw.offsets.length);
  let kept = 0;
  // In place: the write position never passes the read position.
  const features = raw.features;
  for (let i = 0; i < raw.tokenCount; i++) {
    for (let k = raw.offsets[i]!; k < raw.offsets[i + 1]!; k++) {
      const row = rows[features[k]!]!;
      if (row >= 0) features[kept++] = row;
    }
    offsets[i + 1] = kept;
  }
  return { ...raw, offsets, features: features.slice(0, kept) };
}
