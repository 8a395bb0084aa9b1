import { tooOneSided } from './one-sided.js';

const answers = (no: number, yes: number) => [
  ...Array.from({ length: no }, () => ({ label: 'no' })),
  ...Array.from({ length: yes }, () => ({ label: 'yes' })),
];

describe('one-sided answers', () => {
  it('are too one-sided for a model that might as well say one always', () => {
    const said = (no: number, agreed: number) =>
      `the answers are too one-sided: ${no} of 300 are "no", and a model that agrees with ${agreed} is not shown to do better than to say that always`;
    expect(tooOneSided(answers(300, 0), 300)).toBe(said(300, 300));
    expect(tooOneSided(answers(298, 2), 300)).toBe(said(298, 300));
    expect(tooOneSided(answers(291, 9), 291)).toBe(said(291, 291));
    expect(tooOneSided(answers(291, 9), 295)).toBe(said(291, 295));
  });

  it('are not for one that tells the others from them', () => {
    expect(tooOneSided(answers(297, 3), 300)).toBeNull();
    expect(tooOneSided(answers(291, 9), 297)).toBeNull();
    expect(tooOneSided(answers(150, 150), 290)).toBeNull();
  });

  it('are named also where they say nothing', () => {
    expect(tooOneSided([{ entities: [] }, { entities: [] }], 2)).toContain('2 of 2 are "nothing"');
  });
});
