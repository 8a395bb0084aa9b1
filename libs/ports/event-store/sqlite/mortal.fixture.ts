import type { CreateService } from '#primitives/thread/service.js';

/** A service that exits its thread. */
export const createService: CreateService = () => ({ handle: () => process.exit(1) });
