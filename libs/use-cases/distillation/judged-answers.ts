import { readLearnedTask } from '#calls/cascade/learned-task.js';
import type { JudgedCall } from '#distillation/agreement/bound.js';
import { areOneAnswer } from '#distillation/agreement/rows.js';
import type { Distillation } from '#domain/distillation/index.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { judgedCalls, type CompleteEvaluation } from '../evaluations/complete.js';
import { StoppedError } from '../stages.js';

/** How sure the models of a cross-validation were of each call, and whether they would have answered it as the teacher did. @throws StoppedError */
export async function judgedAnswers(
  objectStore: ObjectStore,
  { task: stored }: Pick<Distillation, 'task'>,
  evaluation: CompleteEvaluation,
  signal: AbortSignal,
): Promise<readonly JudgedCall[]> {
  const task = stored && (await readLearnedTask(objectStore, stored.object));
  if (!task) throw new StoppedError('the task was erased with the dataset version that it goes with');
  return judgedCalls(objectStore, evaluation, (one, other) => areOneAnswer(task.mapping, one, other), signal);
}
