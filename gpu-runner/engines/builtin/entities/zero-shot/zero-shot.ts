import type { EntityHit } from '../../../engine.js';
import type { Steps } from '../../../steps.js';
import { withoutOverlaps } from '../../../without-overlaps.js';
import { segmentTokens } from '../../text/segments.js';
import type { TextEncoder } from '../../text-encoder.js';
import type { BaseTagger } from '../base-tagger.js';
import { LabelSpace } from './label-space.js';
import { sightingsOf } from './sighting.js';
import { judge, type ZeroShotWeights } from './weights.js';

/** Tokens of a text that are read: some milliseconds for each sentence. */
const MAX_TOKENS = 10_000;

interface Found {
  readonly hits: readonly EntityHit[];
  readonly inputTokens: number;
  /** Whether part of the text was beyond the limit of reading. */
  readonly truncated: boolean;
}

/** A place of the text that is taken. UTF-16 offsets, end exclusive. */
type Taken = Pick<EntityHit, 'start' | 'end'>;

/**
 * Entities of labels that nothing was trained on: whether a stretch is an entity of one of them is decided apart from which one it is,
 * both by weights of some 50 numbers over what the base model believes, the shape of the words, and the cosines of their vectors in
 * this sentence with those of the label names.
 */
export class ZeroShotEntities {
  private readonly space: LabelSpace;

  constructor(
    private readonly base: BaseTagger,
    private readonly encoder: TextEncoder,
    private readonly weights: ZeroShotWeights,
  ) {
    this.space = new LabelSpace(encoder, base.labels);
  }

  get decisionPoint(): number {
    return this.weights.decisionPoint;
  }

  /**
   * Non-overlapping hits in text order: of two overlapping ones the more confident stays. A step takes some milliseconds, and a tenth of a second in a segment of 300 tokens.
   * @param thresholdOf the least confidence of a label's hits
   * @param taken places of answers that are kept
   */
  *find(
    text: string,
    labels: readonly string[],
    thresholdOf: (label: string) => number,
    taken: readonly Taken[],
  ): Steps<Found> {
    const { base, encoder, space, weights } = this;
    const meanings = yield* space.read(labels);
    const hits: EntityHit[] = [];
    let inputTokens = 0;
    let truncated = false;
    for (const tokens of segmentTokens(text)) {
      truncated = inputTokens + tokens.length > MAX_TOKENS;
      if (truncated) break;
      inputTokens += tokens.length;
      const proposed: EntityHit[] = [];
      const context = { base, encoder, space, centres: weights.centres };
      for (const sighting of sightingsOf(tokens, meanings, context)) {
        const judged = judge(sighting, weights, (label) => thresholdOf(labels[label]!));
        if (judged === null) continue;
        const { first, end } = sighting;
        const [start, stop] = [tokens[first]!.start, tokens[end - 1]!.end];
        const [label, confidence] = [labels[judged.label]!, judged.confidence];
        proposed.push({ start, end: stop, label, text: text.slice(start, stop), confidence });
      }
      const [from, to] = [tokens[0]!.start, tokens.at(-1)!.end];
      const here = taken.filter(({ start, end }) => start < to && from < end);
      // Of equally likely ones the first, and of those the longest.
      const inOrder = proposed.toSorted((a, b) => a.start - b.start || b.end - a.end);
      hits.push(...withoutOverlaps(inOrder, { taken: here }));
      yield;
    }
    return { hits, inputTokens, truncated };
  }
}
