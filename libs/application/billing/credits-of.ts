import type { Application } from '../application.js';
import { loadLedger, spentByMonth } from './credits-log.js';
import { Credits } from './credits.js';

/** The credits of all teams, opened from the log where coordination does not hold them. */
export const creditsOf = (application: Application, now: () => number = Date.now): Credits =>
  new Credits(
    application.ports.coordination,
    {
      ledger: (teamId) => loadLedger(application, teamId, new Date(now()).toISOString()),
      spentByMonth: (teamId) => spentByMonth(application.storedEvents, teamId),
    },
    now,
  );
