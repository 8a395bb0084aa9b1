export { isPublicAddress } from './addresses.js';
export { asEgressError, openEgress, type Egress } from './egress.js';
export { EgressFailedError, EgressRefusedError } from './errors.js';
