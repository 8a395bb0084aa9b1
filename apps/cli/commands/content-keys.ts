import { LOST_WITH_KEYS } from '#apps/composition/keys-of-log.js';
import { replaceCommand } from './replace.js';

export const contentKeyCommands = replaceCommand({
  name: 'content-keys',
  describe: [
    'Replace the keys that encrypt the contents of calls, when they are lost',
    'Continue without the keys of contents after they were lost; stop the system first',
  ],
  example: 'Continue without the keys that are lost, after a question',
  warning: `This binds the event log to the keys that are there, or to new ones. What was encrypted with other keys is lost for ever: ${LOST_WITH_KEYS}.`,
  options: { replaceKeys: true },
  next: 'Done. Start the system, and add the people whose addresses are missing again.',
});
