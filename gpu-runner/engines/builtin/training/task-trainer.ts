import { TrainingError, type Example, type TaskLabels, type TrainSettings } from '../../engine.js';
import { createClassificationTrainer } from '../classification/index.js';
import type { HeadTrainer, HeadTrainerInput } from '../head.js';
import { ofTask } from '../task-heads.js';
import type { SentenceEncoder } from '../text-encoder.js';

/** The labels of a row for a task; undefined if it says nothing of it. */
export const ofTaskIn = ({ tasks = [] }: Example, name: string): TaskLabels | undefined =>
  tasks.find(({ task }) => task === name);

/**
 * The classifier of one of several tasks: as that of a job with this task alone.
 * @param input rows with labels for the task
 * @throws TrainingError naming the task
 */
export function createTaskTrainer(
  task: string,
  { train, validation, settings, log, ...input }: HeadTrainerInput,
  sentences: SentenceEncoder | null,
): HeadTrainer {
  const named = `Task ${JSON.stringify(task)}: `;
  const rows = train.map((row) => rowOf(row, task));
  const { multiLabel } = ofTaskIn(train[0]!, task)!;
  if (train.some((row) => ofTaskIn(row, task)!.multiLabel !== multiLabel))
    throw new TrainingError(`${named}some rows have one label, and others a list; give all of them the same.`);
  try {
    const trainer = createClassificationTrainer(
      {
        ...input,
        train: rows,
        validation: validation === train ? rows : validation.map((row) => rowOf(row, task)),
        settings: { ...settings, multiLabel, ...describedOf(rows, settings) },
        log: (message) => log(named + message),
      },
      sentences,
    );
    const exportModel = trainer.exportModel.bind(trainer);
    return Object.assign(trainer, { exportModel: () => ofTask(exportModel(), task) });
  } catch (error) {
    throw error instanceof TrainingError ? new TrainingError(named + error.message) : error;
  }
}

const rowOf = (row: Example, task: string): Example => ({ text: row.text, labels: ofTaskIn(row, task)!.labels });

/** The descriptions of labels that the task has: one of another label may be another task's. */
function describedOf(rows: readonly Example[], { labelDescriptions }: TrainSettings) {
  if (!labelDescriptions) return {};
  const own = new Set(rows.flatMap(({ labels = [] }) => labels));
  return {
    labelDescriptions: Object.fromEntries(Object.entries(labelDescriptions).filter(([label]) => own.has(label))),
  };
}
