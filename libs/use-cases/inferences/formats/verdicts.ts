import type { Json, JsonObject } from '#domain/json.js';
import { asList, asObject, parsed } from './fields.js';

/** Names of scores by which people say that an answer was right or wrong. */
const NAMES = /^(?:(?:user|human)[-_ ]?)?(?:feedback|thumbs?(?:[-_ ]?up)?|verdict)$/i;
const RIGHT = ['1', 'true', 'yes', 'up', 'thumbs_up', 'thumbs-up', 'positive', 'good', 'correct'];
const WRONG = ['0', '-1', 'false', 'no', 'down', 'thumbs_down', 'thumbs-down', 'negative', 'bad', 'incorrect', 'wrong'];

/** Whether an answer was right, according to a thumb or a score of two values; null for any other value. */
export function isRightBy(value: Json | undefined): boolean | null {
  const all = asList(value);
  if (all !== null) return all.length === 1 ? isRightBy(all[0]) : null;
  const said = typeof value === 'object' ? '' : String(value).trim().toLowerCase();
  return RIGHT.includes(said) ? true : WRONG.includes(said) ? false : null;
}

/** The thumb among scores by name; null if there is none, or if they contradict each other. */
export function thumbIn(scores: JsonObject): boolean | null {
  const thumbs = Object.entries(scores)
    .filter(([name]) => NAMES.test(name))
    .map(([, value]) => isRightBy(parsed(value ?? null)))
    .filter((thumb) => thumb !== null);
  return thumbs.length > 0 && thumbs.every((thumb) => thumb === thumbs[0]) ? thumbs[0]! : null;
}

interface Said {
  /** null: nobody said. */
  readonly isRight?: boolean | null;
  /** What the answer should have been; null: nobody said. */
  readonly corrected?: Json;
  readonly notes?: string | null;
  readonly at?: string | null;
  readonly reviewer?: string | null;
}

/**
 * The fields of feedback on an answer. An answer that somebody calls wrong without the right one has the verdict `unsure`, and the
 * notes tell of it: `incorrect` needs a correction.
 */
export function feedbackOn(output: Json, { isRight = null, corrected = null, notes, at, reviewer }: Said): JsonObject {
  if (isRight === null && corrected === null) return {};
  const isSame = JSON.stringify(corrected) === JSON.stringify(output) || corrected === textOf(output);
  const isWrong = corrected !== null ? !isSame : isRight === false;
  const verdict = !isWrong ? 'correct' : corrected === null ? 'unsure' : 'incorrect';
  const said = [verdict === 'unsure' && 'The answer was marked as wrong, without a right one.', notes];
  return {
    human_verdict: verdict,
    human_corrected_output: isWrong ? corrected : null,
    human_feedback_notes: said.filter(Boolean).join(' ').slice(0, 5000) || null,
    human_feedback_at: at ?? null,
    reviewer: reviewer ?? null,
  };
}

const textOf = (output: Json): Json => asObject(output)?.['content'] ?? null;
