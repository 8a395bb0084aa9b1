import type { Application } from '#application/application.js';
import { readLearnedTask } from '#calls/cascade/learned-task.js';
import { areOneAnswer } from '#distillation/agreement/rows.js';
import type { Distillation } from '#domain/distillation/index.js';
import type { JsonObject } from '#domain/json.js';
import { judgedCalls, type ComparedAnswer, type CompleteEvaluation } from '../evaluations/complete.js';
import { StoppedError } from '../stages.js';

/** The calls of a distillation as they were answered out of fold, compared as live answers are. @throws StoppedError its task was erased */
export async function judgedAnswers(
  { ports: { objectStore } }: Application,
  { task: stored }: Distillation,
  evaluation: CompleteEvaluation,
  signal: AbortSignal,
): Promise<readonly ComparedAnswer[]> {
  const task = await readLearnedTask(objectStore, stored!.object);
  if (!task) throw new StoppedError('the task was erased with the dataset version that it goes with');
  const isRight = (expected: JsonObject, predicted: JsonObject) => areOneAnswer(task.mapping, expected, predicted);
  return judgedCalls(objectStore, evaluation, isRight, signal);
}
