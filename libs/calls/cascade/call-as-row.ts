import { canonicalAnswer } from '#distillation/calls/answers.js';
import { toRow } from '#distillation/mapping/to-row.js';
import type { LearnedTask } from '#distillation/task.js';
import { READ_CHARACTERS } from '#domain/drift/index.js';
import type { CallAsRow } from '#domain/inference/index.js';
import type { Json } from '#domain/json.js';
import { labelledRow } from '#rows/drift/rows.js';
import type { Model } from '../models.js';

/**
 * A call to the task of a distilled version as a row of what that learned, whoever answered.
 * @param text what the student reads
 * @param output as the history has it
 */
export function callAsRow(
  { mapping }: Pick<LearnedTask, 'mapping'>,
  { name, version }: NonNullable<Model['named']>,
  text: string,
  output: Json,
  certainty: number | null,
): CallAsRow {
  const answer = canonicalAnswer(output);
  const row = answer && toRow(mapping, { text, answer, at: new Date().toISOString() });
  const labels = row && labelledRow(row)!.labels;
  return {
    ...{ modelName: name, modelVersion: version, length: text.length, beginning: text.slice(0, READ_CHARACTERS) },
    ...{ labels: labels && [...new Set(labels)], certainty },
  };
}
