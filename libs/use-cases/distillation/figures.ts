import { leastCount, type Calibration } from '#distillation/agreement/bound.js';

/** Why calls do not show a target, with the figures. @param calls that were judged */
export function whyNot(
  calibration: Exclude<Calibration, { readonly kind: 'bound' }>,
  calls: number,
  target: number,
): string {
  if (calibration.kind === 'too-few')
    return `${calls} calls were judged: an agreement of ${target} can be shown on ${calibration.needed} at the least`;
  const { answered, disagreements } = calibration;
  return (
    `of the ${answered} calls that the model is surest of it answers ${disagreements} otherwise than the teacher: an agreement of ${target} ` +
    `cannot be shown (at most ${mostDisagreements(answered, target)} of so many)`
  );
}

/** Disagreements among so many calls with which the target could still be shown. */
function mostDisagreements(calls: number, target: number): number {
  let most = 0;
  while (leastCount(most + 1, target) <= calls) most += 1;
  return most;
}
