import { rm } from 'node:fs/promises';

/** Removes a folder into which the children of a process that was killed may write a little longer. */
export const removeFolder = (directory: string): Promise<void> =>
  rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
