import { LOST_WITH_COORDINATION } from '#apps/composition/coordination-of-log.js';
import { replaceCommand } from './replace.js';

export const coordinationCommands = replaceCommand({
  name: 'coordination',
  describe: [
    'Replace the store of passwords and sessions, when it is lost',
    'Continue without passwords and sessions after coordination was lost; stop the system first',
  ],
  example: 'Continue without what is lost, after a question',
  warning: `This goes on with coordination as it is. What it lacks is lost: ${LOST_WITH_COORDINATION}.`,
  options: { replaceCoordination: true },
});
