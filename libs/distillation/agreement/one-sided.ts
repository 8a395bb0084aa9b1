import { leavesOf } from '../mapping/json-text.js';
import type { JsonObject } from '#domain/json.js';
import { contradicts } from './bound.js';

const MAX_SHOWN = 80;

/** Whether a model that agrees with so many calls is shown to do better than to give always the commonest answer. */
export const beatsOneAnswer = (agreed: number, commonest: number, calls: number): boolean =>
  commonest < calls && contradicts(agreed, calls, 1 - commonest / calls);

/**
 * Why answers are too one-sided for a model that agrees with so many of them: a bound would hold, and the model would be of no use.
 * @param answers at least one
 * @returns null if they are not
 */
export function tooOneSided(answers: readonly JsonObject[], agreed: number): string | null {
  const groups = [...Map.groupBy(answers, (answer) => JSON.stringify(answer)).values()];
  const commonest = groups.reduce((most, each) => (each.length > most.length ? each : most));
  if (beatsOneAnswer(agreed, commonest.length, answers.length)) return null;
  const shown = leavesOf(commonest[0]!).join(', ').slice(0, MAX_SHOWN) || 'nothing';
  return (
    `the answers are too one-sided: ${commonest.length} of ${answers.length} are ${JSON.stringify(shown)}, and a model that agrees with ` +
    `${agreed} is not shown to do better than to say that always`
  );
}
