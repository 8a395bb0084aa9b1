import { Random } from '../../random.js';
import { logsOf } from '../spans/candidates.js';
import { learnSpans, type LabelledSegment } from './span-learner.js';
import { SpanStacker } from './span-stacker.js';

const DIMENSIONS = 4;
const [A, B, NONE] = [0, 1, 2];
const random = new Random(3);
/** What a token's vector says, 32 steps for 1. */
const vector = (sign: number): number[] => [32 * sign, ...[1, 2, 3].map(() => random.below(33) - 16)];

/**
 * Segments of a context, a span of two tokens and another context. The tokens of a span say nothing of its label, nor does the lattice:
 * it is A after one kind of word and B after the other. Spans of one token are no entities.
 */
function segments(count: number): LabelledSegment[] {
  return Array.from({ length: count }, () => {
    const gold = random.below(2);
    const unsure = logsOf(
      [A, B].map((label) => ({ label, probability: 0.4 })),
      2,
    );
    const rows = [vector(gold === A ? 2 : -2), vector(0), vector(0), vector(0)];
    return {
      vectors: Int8Array.from(rows.flat()),
      tokens: rows.length,
      candidates: [
        { first: 1, end: 3, logs: unsure, gold, isLikely: true },
        { first: 3, end: 4, logs: logsOf([{ label: A, probability: 0.1 }], 2), gold: NONE, isLikely: true },
      ],
    };
  });
}

const floats = ({ vectors }: LabelledSegment): Float32Array => Float32Array.from(vectors, (step) => step / 32);
const parts = [segments(60), segments(60), segments(60)];

describe('vectors of spans', () => {
  it('tell labels apart by what stands beside a span', () => {
    const learned = learnSpans(parts.flat(), DIMENSIONS, 2, new Random(1));
    const others = segments(50);
    const right = others.filter((segment) => {
      learned.read(floats(segment), segment.tokens);
      const [a, b] = learned.scores(segment.candidates[0]!, segment.tokens);
      return segment.candidates[0]!.gold === (a! > b! ? A : B);
    });
    expect(right).toHaveLength(others.length);
  });

  it('are stacked on a lattice that cannot tell them, and correct its segments', () => {
    const { spans, proposals } = new SpanStacker(parts, DIMENSIONS, 2, 7).stack(parts, segments(20))!;
    expect(proposals.right.filter(Boolean).length).toBeGreaterThan(0.95 * 200);
    const [other] = segments(1);
    const { gold } = other!.candidates[0]!;
    const unsure = [A, B].map((label) => ({ first: 1, end: 3, label, probability: 0.4 }));
    const found = spans.rescore(unsure, floats(other!), other!.tokens);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ first: 1, end: 3, label: gold });
    expect(found[0]!.probability).toBeGreaterThan(0.6);
  });

  it('are left out if they are no better than the lattice', () => {
    // The lattice is right as often as it says, and vectors are noise.
    const known = parts.map((part) =>
      part.map((segment, k) => {
        const gold = k % 2;
        const says = k % 10 < 2 ? 1 - gold : gold;
        const logs = logsOf(
          [says, 1 - says].map((label, place) => ({ label, probability: [0.8, 0.2][place]! })),
          2,
        );
        const vectors = segment.vectors.map(() => random.below(65) - 32);
        return { ...segment, vectors, candidates: [{ first: 1, end: 3, logs, gold, isLikely: true }] };
      }),
    );
    expect(new SpanStacker(known, DIMENSIONS, 2, 7).stack(known, [])).toBeNull();
  });

  it('under further labels keep the odds of the known ones, and count a new label as none', () => {
    const learned = learnSpans(parts.flat(), DIMENSIONS, 2, new Random(1));
    const [segment] = segments(1);
    const [a, b, none] = learned.scores(segment!.candidates[0]!, (learned.read(floats(segment!), 4), 4));
    const more = learned.under(['a', 'aa', 'b'], ['a', 'b']);
    more.read(floats(segment!), 4);
    expect([...more.scores(segment!.candidates[0]!, 4)]).toEqual([a, none, b, none]);
  });
});
