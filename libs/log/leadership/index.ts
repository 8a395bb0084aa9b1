export { MONOTONIC, type Clock } from './clock.js';
export { takeLease, underLease, type LeaseOptions, type Leases } from './held-lease.js';
export { lead, type Leadership, type LeadershipOptions, type LeadershipStatus, type LedWork } from './leadership.js';
export { SOLE } from './sole.js';
