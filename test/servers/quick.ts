import { INSTALLATION, type Programs } from './start-all.js';
import { toxiproxy } from './toxiproxy.js';

/** The servers of `npm run test:servers -- --quick`: one of each kind. FerretDB takes longer to build than all of these. */
export const QUICK_SERVERS: Programs = { ...INSTALLATION, toxiproxy: [toxiproxy] };

/**
 * Jest's patterns for the suites of `npm run test:servers -- --quick`: the contracts of the ports, and behaviour that differs with
 * several processes or on other stores.
 */
export const QUICK_SUITES: readonly string[] = [
  'libs/ports/',
  'libs/log/leadership/',
  'test/replicas/',
  'test/e2e/processes',
  'api/routes/accounts/replicas',
  'api/routes/audit/audit',
  'api/routes/datasets/datasets',
  'api/routes/datasets/deletion/erasure',
  'api/routes/datasets/uploads/files-of-others',
  'api/routes/events/live-events',
  'api/edge/idempotency/idempotency',
  'api/routes/inferences/erasure\\.',
  'api/routes/inferences/inferences',
  'api/edge/limits/limits',
  'api/routes/objects/objects',
  'api/routes/training-jobs/training-jobs',
];
