import { randomNumbers } from '#primitives/random-numbers.js';
import { audited, auditShareOf, evidenceOf, isBroken, isSuspected, NO_EVIDENCE } from './audit.js';

/** Sure calls until the bound counts as broken, at most `most`. */
function sureUntilBroken(agreement: number, target: number, most: number, draw: () => number): number {
  let evidence = NO_EVIDENCE;
  for (let sure = 1; sure <= most; sure += 1) {
    if (draw() >= auditShareOf(isSuspected(evidence), 0.02)) continue;
    evidence = audited(evidence, draw() < agreement, target);
    if (isBroken(evidence)) return sure;
  }
  return Infinity;
}

const TIMES = 200;
const runs = (agreement: number, target: number, most: number): readonly number[] => {
  const draw = randomNumbers(11);
  return Array.from({ length: TIMES }, () => sureUntilBroken(agreement, target, most, draw)).sort((a, b) => a - b);
};

it.each([0.92, 0.95, 0.98])('notices five points under %d within 5,000 sure calls in most runs', (target) => {
  const all = runs(target - 0.05, target, 5_000);
  expect(all.filter((sure) => sure <= 5_000).length / TIMES).toBeGreaterThan(0.65);
});

it.each([0.92, 0.95, 0.98])('gives nothing back in 10,000 sure calls one point above %d', (target) => {
  expect(runs(target + 0.01, target, 10_000).filter((sure) => sure <= 10_000)).toEqual([]);
});

it('audits more on suspicion, and forgets it after good calls', () => {
  let evidence = [false, false, false, false].reduce((before, agrees) => audited(before, agrees, 0.95), NO_EVIDENCE);
  expect(auditShareOf(isSuspected(evidence), 0.02)).toBe(0.5);
  for (let call = 0; call < 100; call += 1) evidence = audited(evidence, true, 0.95);
  expect(auditShareOf(isSuspected(evidence), 0.02)).toBe(0.02);
  expect(evidenceOf(evidence)).toBeLessThan(1);
  expect(evidence).toMatchObject({ audited: 104, disagreements: 4 });
});
