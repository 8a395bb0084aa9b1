import { ArtifactError } from '../engine.js';
import { OWN_TASK } from '../evaluation-queries.js';
import type { HeadState } from './head.js';

const OF_TASK = 'classification:';

/** The key of a task's head in artifacts and training states, without dots. */
export const headOfTask = (task: string): string =>
  `${OF_TASK}${encodeURIComponent(task.toWellFormed()).replaceAll('.', '%2E')}`;

/** The head as it is stored: with the name of its task. */
export const ofTask = ({ config, tensors }: HeadState, task: string): HeadState => ({
  config: { ...config, task },
  tensors,
});

/** The task of a stored head; null if it is none of a classifier. @throws ArtifactError when it is damaged */
export function taskOfHead(key: string, { config: { task } }: HeadState): string | null {
  if (key === 'classification') return OWN_TASK;
  if (!key.startsWith(OF_TASK)) return null;
  if (typeof task !== 'string') throw new ArtifactError(`The head ${key} names no task.`);
  return task;
}
