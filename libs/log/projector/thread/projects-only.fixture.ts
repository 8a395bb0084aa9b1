import { projects } from '#projections/projects/projection.js';

/** For a thread: one projection, so that nothing else is built. */
export const projections = [projects];
