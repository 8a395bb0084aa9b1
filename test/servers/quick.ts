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
  'api/accounts/replicas',
  'api/audit/audit',
  'api/datasets/datasets',
  'api/datasets/deletion/erasure',
  'api/datasets/uploads/files-of-others',
  'api/events/live-events',
  'api/idempotency/idempotency',
  'api/inferences/erasure\\.',
  'api/inferences/inferences',
  'api/limits/limits',
  'api/objects/objects',
  'api/training-jobs/training-jobs',
];
