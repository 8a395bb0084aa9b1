import { replaceCommand } from './replace.js';

export const objectCommands = replaceCommand({
  name: 'objects',
  describe: [
    'Replace the files of datasets and models, when they are lost',
    'Continue without the files of datasets and models after they were lost; stop the system first',
  ],
  example: 'Continue without the files that are lost, after a question',
  warning:
    'This goes on with the object store as it is. What it lacks is lost: files of datasets, checkpoints, models, large contents of ' +
    'calls, archived events, and the audit tree (npx anneal audit restart begins another); the rest of the log stays.',
  options: { replaceObjects: true },
});
