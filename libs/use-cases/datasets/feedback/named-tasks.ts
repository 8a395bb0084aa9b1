import type { FeedbackRow } from '#rows/merging/index.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { mergedTasks } from '../class-tasks.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import { trainingJobDocuments } from '#projections/training-jobs/queries.js';

/** Rows that name the classification tasks of all models that gave them: an answer with one of several does not tell. */
export async function withNamedTasks(
  readStore: ReadStoreQueries,
  rows: readonly FeedbackRow[],
  calls: readonly InferenceDocument[],
): Promise<readonly FeedbackRow[]> {
  const sources = new Set(rows.map(({ source_inference_id: id }) => id));
  const ids = new Set(calls.flatMap(({ id, trainingJobId }) => (sources.has(id) ? (trainingJobId ?? []) : [])));
  const jobs = await Promise.all([...ids].map((id) => trainingJobDocuments.get(readStore, id)));
  const tasks = mergedTasks(jobs.map((job) => job?.classTasks ?? []));
  if (tasks.length === 0) return rows;
  const class_tasks = tasks.map(({ name, multiLabel }) => ({ name, multi_label: multiLabel }));
  return rows.map((row) => ({ ...row, class_tasks }));
}
