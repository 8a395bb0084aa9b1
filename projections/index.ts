import type { Projection } from '#projection/projection.js';
import { apiKeys } from './api-keys/projection.js';
import { inferences } from './inferences/projection.js';
import { projects } from './projects/projection.js';

/** Every read model there is. */
export const projections = [apiKeys, inferences, projects] as unknown as readonly Projection[];
