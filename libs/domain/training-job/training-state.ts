import type { StoredFile, StoredFolder } from './events.js';

/**
 * Prefix of a checkpoint's files that the job itself needs to resume (moments, generator, cursor), several times larger
 * than the model. They are removed once a later checkpoint is stored or the job has ended; no other job and no call
 * needs them.
 */
const PREFIX = 'training_state';

export const isTrainingState = ({ name }: StoredFile): boolean => name.startsWith(PREFIX);

/** The part of a checkpoint that can be served, evaluated, or started from. */
export const withoutTrainingState = ({ objectPrefix, files }: StoredFolder): StoredFolder => ({
  objectPrefix,
  files: files.filter((file) => !isTrainingState(file)),
});
