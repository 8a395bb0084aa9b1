import type { Projection } from '#log/projector/projection.js';
import { apiKeys } from './api-keys/projection.js';
import { batches } from './batches/projection.js';
import { cascadeDays } from './cascade-days/projection.js';
import { cascades } from './cascades/projection.js';
import { charges } from './charges/projection.js';
import { datasetVersions } from './dataset-versions/projection.js';
import { datasets } from './datasets/projection.js';
import { distillations } from './distillations/projection.js';
import { drift } from './drift/projection.js';
import { evaluations } from './evaluations/projection.js';
import { feedback } from './feedback/projection.js';
import { generationJobs } from './generation-jobs/projection.js';
import { improvements } from './improvements/projection.js';
import { inferences } from './inferences/projection.js';
import { ledger } from './ledger/projection.js';
import { modelExports } from './model-exports/projection.js';
import { models } from './models/projection.js';
import { projects } from './projects/projection.js';
import { proposals } from './proposals/projection.js';
import { reads } from './reads/projection.js';
import { reviews } from './reviews/projection.js';
import { signedThoughts } from './signed-thoughts/projection.js';
import { storage } from './storage/projection.js';
import { trainingCheckpoints } from './training-checkpoints/projection.js';
import { trainingJobs } from './training-jobs/projection.js';
import { usage } from './usage/projection.js';
import { webhookDeliveries } from './webhook-deliveries/projection.js';
import { webhooks } from './webhooks/projection.js';

/** The module from which a thread imports the projections. */
export const PROJECTIONS_MODULE = import.meta.url;

/** Every read model there is. */
export const projections: readonly Projection[] = [
  apiKeys,
  batches,
  cascadeDays,
  cascades,
  charges,
  datasetVersions,
  datasets,
  distillations,
  drift,
  evaluations,
  feedback,
  generationJobs,
  improvements,
  inferences,
  ledger,
  modelExports,
  models,
  projects,
  proposals,
  reads,
  reviews,
  signedThoughts,
  storage,
  trainingCheckpoints,
  trainingJobs,
  usage,
  webhookDeliveries,
  webhooks,
];
