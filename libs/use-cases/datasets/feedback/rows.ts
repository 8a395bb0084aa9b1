import { hash } from 'node:crypto';
import { normalised } from '#rows/report/normalised.js';
import type { Json, JsonObject } from '#domain/json.js';
import { isRecord } from '#primitives/values.js';

/** The right answer to one text according to one reviewer. */
export interface JudgedText {
  readonly text: string;
  /** The heads of a result of `/inference`. */
  readonly answer: JsonObject;
  readonly inferenceId: string;
  /** When the verdict was given. */
  readonly at: string;
}

export const CONFLICT_RULES = ['newest', 'majority'] as const;
export type ConflictRule = (typeof CONFLICT_RULES)[number];

interface FeedbackConflict {
  readonly text: string;
  /** Calls whose verdicts differ, the newest verdict first. */
  readonly inference_ids: string[];
}

/** Makes a row of each text, with the call that it comes from. */
export function feedbackRows(judged: readonly JudgedText[], rule: ConflictRule) {
  const texts = Map.groupBy(judged, ({ text }) => text);
  const conflicts: FeedbackConflict[] = [];
  const rows = [...texts].map(([text, all]) => {
    const newestFirst = all.toSorted((a, b) => (a.at < b.at ? 1 : -1));
    const answers = [...Map.groupBy(newestFirst, ({ answer }) => essence(answer)).values()];
    if (answers.length > 1)
      conflicts.push({ text, inference_ids: [...new Set(newestFirst.map(({ inferenceId }) => inferenceId))] });
    // The sort is stable: of answers with as many verdicts, the one with the newest.
    const [chosen] = rule === 'majority' ? answers.toSorted((a, b) => b.length - a.length) : answers;
    const { answer, inferenceId, at } = chosen![0]!;
    return { text, result: answer, source_inference_id: inferenceId, at };
  });
  return { rows, conflicts };
}

/**
 * Whether a share of all texts includes this one: the same for texts that count as equal.
 * @param share 0 to 1
 */
export const isHeldOut = (text: string, share: number): boolean =>
  Number.parseInt(hash('sha256', normalised(text)).slice(0, 8), 16) / 2 ** 32 < share;

/** The labels, classes and relations that an answer has. */
export function labelsIn(answer: JsonObject): ReadonlySet<string> {
  return new Set(
    Object.entries(answer).flatMap(([head, value]) => {
      if (head === 'entities' || head === 'relation_extraction')
        return Object.entries(isRecord(value) ? value : {}).flatMap(([label, hits]) => (isNone(hits) ? [] : [label]));
      return (Array.isArray(value) ? (value as readonly Json[]) : [value]).flatMap((each) => {
        const label: unknown = isRecord(each) ? each['label'] : each;
        return typeof label === 'string' ? [label] : [];
      });
    }),
  );
}

const isNone = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);

/** The same for answers that say the same: without order, confidences and places. */
function essence(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(essence).sort().join()}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const only = value['text'] ?? value['label'];
  if (typeof only === 'string') return JSON.stringify(only);
  const fields = Object.entries(value).filter(([, each]) => !isNone(each));
  return `{${fields
    .map(([name, each]) => `${JSON.stringify(name)}:${essence(each)}`)
    .sort()
    .join()}}`;
}
