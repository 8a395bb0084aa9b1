import type { Projection } from '#projection/projection.js';
import { apiKeys } from './api-keys/projection.js';
import { datasetVersions } from './dataset-versions/projection.js';
import { datasets } from './datasets/projection.js';
import { evaluations } from './evaluations/projection.js';
import { generationJobs } from './generation-jobs/projection.js';
import { inferences } from './inferences/projection.js';
import { projects } from './projects/projection.js';
import { trainingCheckpoints } from './training-checkpoints/projection.js';
import { trainingJobs } from './training-jobs/projection.js';

/** Every read model there is. */
export const projections = [
  apiKeys,
  datasetVersions,
  datasets,
  evaluations,
  generationJobs,
  inferences,
  projects,
  trainingCheckpoints,
  trainingJobs,
] as unknown as readonly Projection[];
