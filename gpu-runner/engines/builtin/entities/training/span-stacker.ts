import { Random } from '../../random.js';
import type { Proposals } from '../calibration.js';
import { withoutOverlaps } from '../lattice/segments.js';
import { likeliest, SpanVectors } from '../spans/span-vectors.js';
import { readVectors } from '../word-vectors.js';
import { MIN_PROPOSED } from './learner.js';
import { learnSpans, type LabelledCandidate, type LabelledSegment } from './span-learner.js';
import { fitStack, stackInto, type Opinions, type Stack } from './stacking.js';

/** Parts of the rows, each with the likely spans by a learner that did not see it. */
export type Parts = readonly (readonly LabelledSegment[])[];

export interface StackedSpans {
  readonly spans: SpanVectors;
  /** Of all segments, stacked. */
  readonly proposals: Pick<Proposals, 'probabilities' | 'right'>;
}

/** Nats by which the vectors must lower the loss on rows held out: strong evidence (Kass and Raftery 1995). */
const MIN_GAIN = 3;

/** A candidate with both opinions of it. */
interface Judged extends Opinions {
  readonly candidate: LabelledCandidate;
}

/** Learns the vectors of spans, and how much they count beside the lattice, each from rows that it is not judged by. */
export class SpanStacker {
  /** Learned from the other parts, for each part. */
  private readonly folds: readonly SpanVectors[];
  private readonly whole: SpanVectors;

  /** @param working called after each of several seconds' work */
  constructor(
    parts: Parts,
    dimensions: number,
    private readonly labels: number,
    seed: number,
    working: () => void = () => undefined,
  ) {
    const learn = (segments: readonly LabelledSegment[]) => {
      working();
      return learnSpans(segments, dimensions, labels, new Random(seed));
    };
    this.folds = parts.map((own) => learn(parts.filter((other) => other !== own).flat()));
    this.whole = learn(parts.flat());
  }

  /**
   * @param parts as those learned from, by the present state of their learners
   * @param held further segments that neither the served lattice nor the vectors learned from
   * @returns null if they do not lower the loss of the lattice, as it is, or with its probabilities corrected alone
   */
  stack(parts: Parts, held: readonly LabelledSegment[]): StackedSpans | null {
    const judged = parts.map((segments, part) => judge(segments, this.folds[part]!));
    const { served, stacks, gain } = this.fit(judged);
    if (gain <= 0) return null;
    const unheard = new Float64Array(this.labels + 1);
    const corrected = this.fit(
      judged.map((part) => part.map((of) => of.map((each) => ({ ...each, second: unheard })))),
    );
    if (gain - corrected.gain < MIN_GAIN) return null;
    const all = [
      ...judged.flatMap((segments, part) => segments.map((segment) => [segment, stacks[part]!] as const)),
      ...judge(held, this.whole).map((segment) => [segment, served] as const),
    ];
    return { spans: stacked(this.whole, served), proposals: proposalsOf(all) };
  }

  /** A stack of all parts, those of the other parts for each, and how much these lower its loss. */
  private fit(judged: readonly (readonly (readonly Judged[])[])[]) {
    const classes = this.labels + 1;
    const served = fitStack(judged.flat(2), classes);
    const stacks = judged.map((own) => fitStack(judged.filter((other) => other !== own).flat(2), classes, served));
    const gain = judged.reduce((sum, own, part) => sum + gainOf(own, stacks[part]!), 0);
    return { served, stacks, gain };
  }
}

/**
 * The vectors of an earlier job beside a lattice that was trained further.
 * @param areHeld whether the lattice did not learn from the segments; if it did, they tell nothing against the vectors
 * @returns null if the lattice alone has no greater loss
 */
export function stackEarlier(
  spans: SpanVectors,
  segments: readonly LabelledSegment[],
  areHeld: boolean,
): StackedSpans | null {
  const served = { slope: spans.slope, weight: 1, bias: new Float64Array(spans.bias.length) };
  const judged = judge(segments, spans);
  if (areHeld && gainOf(judged, served) < 0) return null;
  return { spans, proposals: proposalsOf(judged.map((segment) => [segment, served] as const)) };
}

/** Log loss of the lattice alone minus that of a stack. */
function gainOf(segments: readonly (readonly Judged[])[], stack: Stack): number {
  const scores = new Float64Array(stack.bias.length);
  return segments.flat().reduce((sum, { first, second, gold }) => {
    stackInto(stack, first, second, scores);
    return sum + Math.log(scores[gold]!) - first[gold]!;
  }, 0);
}

/** Both opinions of the likely spans of each segment. */
function judge(segments: readonly LabelledSegment[], spans: SpanVectors): Judged[][] {
  let vectors = new Float32Array(0);
  return segments.map(({ vectors: stored, tokens, candidates }) => {
    if (vectors.length < stored.length) vectors = new Float32Array(2 * stored.length);
    readVectors(stored, 0, stored.length, vectors);
    spans.read(vectors, tokens);
    return candidates.flatMap((candidate) => {
      const { logs, gold, isLikely } = candidate;
      return isLikely ? [{ candidate, first: logs, second: spans.scores(candidate, tokens), gold }] : [];
    });
  });
}

/** The vectors with the stack in them. */
function stacked({ weights, bias, dimensions }: SpanVectors, stack: Stack): SpanVectors {
  return new SpanVectors(
    stack.slope,
    bias.map((value, k) => stack.weight * value + stack.bias[k]!),
    weights.map((weight) => stack.weight * weight),
    dimensions,
  );
}

function proposalsOf(segments: readonly (readonly [readonly Judged[], Stack])[]): StackedSpans['proposals'] {
  const probabilities: number[] = [];
  const right: boolean[] = [];
  for (const [judged, stack] of segments) {
    const scores = new Float64Array(stack.bias.length);
    const found = judged.map(({ candidate, first, second }) => {
      stackInto(stack, first, second, scores);
      return { ...likeliest(candidate, scores), gold: candidate.gold };
    });
    for (const { probability, label, gold } of withoutOverlaps(found)) {
      if (probability < MIN_PROPOSED) continue;
      probabilities.push(probability);
      right.push(label === gold);
    }
  }
  return { probabilities, right };
}
