import { randomNumbers } from '#primitives/random-numbers.js';
import { ceilingOf, withoutCopies, withoutNearCopies } from './copies.js';
import { nearToEarlier } from './near-copies.js';

const call = (text: string, answer: string, at: string) => ({ text, answer, at });
const unit = (values: readonly number[]) => Float32Array.from(values, (value) => value / Math.hypot(...values));

describe('copies of texts', () => {
  it('are dropped but for the newest, and tell how far the teacher agrees with itself', () => {
    const calls = [
      call('Where is my card?', 'card', '2026-05-01'),
      call('where is  my card', 'other', '2026-05-03'),
      call('Where is my card', 'card', '2026-05-02'),
      call('Top up failed', 'top-up', '2026-05-01'),
      call('top up failed!', 'top-up', '2026-05-01'),
      call('Something else', 'other', '2026-05-01'),
    ];
    const { kept, ...rest } = withoutCopies(calls);
    expect(kept.map(({ answer, at }) => [answer, at])).toEqual([
      ['other', '2026-05-03'],
      ['top-up', '2026-05-01'],
      ['other', '2026-05-01'],
    ]);
    expect(rest).toEqual({ copies: 3, agreement: (1 / 3 + 1) / 2, groups: 2 });
  });

  it('bound how far any student can agree with a teacher that errs at random', () => {
    const draw = randomNumbers(9);
    const answer = () => (draw() < 0.9 ? 'right' : `wrong ${Math.floor(draw() * 5)}`);
    const calls = Array.from({ length: 4_000 }, (_, at) => call(`text ${at >> 1}`, answer(), '2026-05-01'));
    const ceiling = ceilingOf(withoutCopies(calls).agreement!);
    expect(ceiling).toBeGreaterThan(0.89);
    expect(ceiling).toBeLessThan(0.92);
  });

  it('say nothing of the teacher where there are none', () => {
    expect(withoutCopies([call('one', 'a', '2026-05-01')])).toMatchObject({ agreement: null, copies: 0 });
  });
});

describe('near copies of texts', () => {
  it('are dropped but for the newest, not paraphrases, other answers, and texts without a vector', () => {
    const calls = [
      call('one', 'a', '2026-05-01'),
      call('near, newer', 'a', '2026-05-02'),
      call('near, another answer', 'b', '2026-05-03'),
      call('a paraphrase', 'a', '2026-05-04'),
      call('too long', 'a', '2026-05-05'),
    ];
    const vectors = [unit([1, 0, 0]), unit([1, 0.1, 0]), unit([1, 0.05, 0]), unit([1, 0.5, 0]), null];
    const kept = withoutNearCopies(calls, { vectors, least: 0.99 });
    expect(kept.map(({ text }) => text)).toEqual(['near, newer', 'near, another answer', 'a paraphrase', 'too long']);
  });

  it('are found among thousands, but for one in fifty', () => {
    const draw = randomNumbers(5);
    const noise = (size: number) => Array.from({ length: 32 }, () => size * (draw() + draw() + draw() - 1.5));
    // One direction in common, as the vectors of sentences have.
    const all = Array.from({ length: 4_000 }, () => noise(1).map((value, axis) => value + (axis === 0 ? 3 : 0)));
    const copies = all.slice(0, 500).map((values) => noise(0.04).map((value, axis) => values[axis]! + value));
    const vectors = [...all, ...copies].map(unit);
    const near = nearToEarlier(vectors, 0.99);
    expect([...near].every((place) => place >= 4_000)).toBe(true);
    expect(near.size).toBeGreaterThan(490);
  });

  it('may all be one', () => {
    expect(nearToEarlier(Array<Float32Array>(1_000).fill(unit([1, 2, 3])), 0.99).size).toBe(999);
  });
});
