import type { FeedbackRow } from '#rows/merging/index.js';
import type { Application } from '#application/application.js';
import { mergedTasks } from '../class-tasks.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import { jobOnLog } from '../../training-jobs/require-job.js';

/** Rows that name the classification tasks of all models that gave them: an answer with one of several does not tell. */
export async function withNamedTasks(
  application: Application,
  workspaceId: string,
  rows: readonly FeedbackRow[],
  calls: readonly InferenceDocument[],
): Promise<readonly FeedbackRow[]> {
  const sources = new Set(rows.map(({ source_inference_id: id }) => id));
  const ids = new Set(calls.flatMap(({ id, trainingJobId }) => (sources.has(id) ? (trainingJobId ?? []) : [])));
  const jobs = await Promise.all([...ids].map((id) => jobOnLog(application, workspaceId, id)));
  const tasks = mergedTasks(jobs.map((job) => job?.request.classTasks ?? []));
  if (tasks.length === 0) return rows;
  const class_tasks = tasks.map(({ name, multiLabel }) => ({ name, multi_label: multiLabel }));
  return rows.map((row) => ({ ...row, class_tasks }));
}
