import type { StoredFile, StoredFolder } from './events.js';

/**
 * Files of a checkpoint whose names begin so hold what the job itself needs to go on (moments, generator, cursor), and are
 * several times larger than the model. They are removed once a later checkpoint stands or the job has ended; no other job
 * and no call needs them.
 */
const PREFIX = 'training_state';

export const isTrainingState = ({ name }: StoredFile): boolean => name.startsWith(PREFIX);

/** The part of a checkpoint that can be served, evaluated, or started from. */
export const withoutTrainingState = ({ objectPrefix, files }: StoredFolder): StoredFolder => ({
  objectPrefix,
  files: files.filter((file) => !isTrainingState(file)),
});
