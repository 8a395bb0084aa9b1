import { projects } from '#projections/projects/projection.js';

/** For a thread: each projection that is built in a thread of its own takes a fifth of a second. */
export const projections = [projects];
