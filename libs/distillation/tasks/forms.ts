import { isRecord, type Json } from '#domain/json.js';
import type { CanonicalAnswer } from '../calls/answers.js';
import { jsonIn } from '../mapping/json-text.js';

/** The form of a task's answers: a word or a few, JSON, arguments of a tool, or free text. */
export type AnswerForm = 'label' | 'json' | 'tool' | 'text';

/** What the answers of some calls look like, to tell whether two groups of calls ask for the same. */
export interface AnswerShape {
  readonly form: AnswerForm;
  /** Name of the tool; null for texts. */
  readonly tool: string | null;
  /** Keys of most objects, sorted. */
  readonly keys: readonly string[];
  /** How often each answer comes, folded. */
  readonly counts: ReadonlyMap<string, number>;
  readonly calls: number;
}

/** Answers with a distinct one in five or more are no labels. */
const DISTINCT_SHARE = 5;
const MAX_LABEL = 200;
/** Share of the smaller group's answers that the other must have, if answers repeat. */
const OVERLAP = 0.5;

export function shapeOf(answers: readonly CanonicalAnswer[]): AnswerShape {
  const tools = commonest(answers.map(({ tool }) => tool ?? ''));
  const values = answers.map(({ text }) => jsonIn(text)?.value);
  const objects = values
    .map((value): unknown => (Array.isArray(value) ? (value as readonly Json[])[0] : value))
    .filter(isRecord);
  const isJson = values.filter((value) => isRecord(value) || Array.isArray(value)).length * 2 > answers.length;
  const form = tools === '' ? (isJson ? 'json' : isLabel(answers) ? 'label' : 'text') : 'tool';
  const counts = countsOf(answers.map(({ text }) => text.trim().toLowerCase()));
  return {
    form,
    tool: tools === '' ? null : tools,
    keys: isJson ? commonKeys(objects) : [],
    counts,
    calls: answers.length,
  };
}

/** Whether two groups of calls may ask for the same: where answers repeat, the smaller group's must be those of the other. */
export function isAlike(one: AnswerShape, other: AnswerShape): boolean {
  const isJson = [one, other].map(({ form }) => form === 'json');
  if (one.tool !== other.tool || isJson[0] !== isJson[1]) return false;
  const shared = one.keys.filter((key) => other.keys.includes(key)).length;
  if (shared * 2 < Math.max(one.keys.length, other.keys.length)) return false;
  if (!isFew(one) && !isFew(other)) return true;
  const [few, many] = one.calls < other.calls ? [one, other] : [other, one];
  let known = 0;
  for (const [answer, count] of few.counts) if (many.counts.has(answer)) known += count;
  return known >= OVERLAP * few.calls;
}

const isFew = ({ counts, calls }: AnswerShape): boolean => counts.size <= 2 || counts.size * DISTINCT_SHARE <= calls;

/** Labels come with explanations and in several spellings, so that their first words count. */
function isLabel(answers: readonly CanonicalAnswer[]): boolean {
  const words = answers.map(({ text }) => (text.match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, 3).join(' ').toLowerCase());
  const distinct = Math.min(new Set(words).size, new Set(answers.map(({ text }) => text)).size);
  return (
    distinct * DISTINCT_SHARE <= Math.max(answers.length, 20) && answers.every(({ text }) => text.length <= MAX_LABEL)
  );
}

export function countsOf<T>(texts: readonly T[]): ReadonlyMap<T, number> {
  const counts = new Map<T, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

function commonKeys(objects: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const object of objects) for (const key of Object.keys(object)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count * 2 > objects.length)
    .map(([key]) => key)
    .sort();
}

/** The value that most have; the first of several. */
export function commonest<T>(values: readonly T[]): T {
  return [...countsOf(values)].reduce((best, each) => (each[1] > best[1] ? each : best))[0];
}
