import type { CreateService } from '#primitives/thread/service.js';

/** For the specification of the store only: a service that takes its thread with it. */
export const createService: CreateService = () => ({ handle: () => process.exit(1) });
