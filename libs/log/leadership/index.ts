export { MONOTONIC, type Clock } from './clock.js';
export { SOLE, takeLease, underLease, type LeaseOptions, type Leases } from './held-lease.js';
export {
  aborted,
  lead,
  type Leadership,
  type LeadershipOptions,
  type LeadershipStatus,
  type LedWork,
} from './leadership.js';
