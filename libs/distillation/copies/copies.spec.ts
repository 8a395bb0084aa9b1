import { withoutCopies } from './copies.js';

const call = (text: string, answer: string, at: string) => ({ text, answer, at });
const unit = (...values: number[]) => Float32Array.from(values, (value) => value / Math.hypot(...values));

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
    expect(rest).toEqual({ copies: 3, nearCopies: 0, agreement: (1 / 3 + 1) / 2, groups: 2 });
  });

  it('are near ones too where vectors say so, not paraphrases', () => {
    const calls = ['one', 'two', 'three'].map((text) => call(text, text, '2026-05-01'));
    const vectors = [unit(1, 0, 0), unit(1, 0.1, 0), unit(1, 0.5, 0)];
    expect(withoutCopies(calls, vectors)).toMatchObject({
      kept: [{ text: 'two' }, { text: 'three' }],
      nearCopies: 1,
      agreement: 0,
    });
  });

  it('say nothing of the teacher where there are none', () => {
    expect(withoutCopies([call('one', 'a', '2026-05-01')])).toMatchObject({ agreement: null, copies: 0 });
  });
});
