import type { Application } from '#application/application.js';
import type { ProcessManager } from '#log/process-manager/process-manager.js';
import type { Generators } from '#rows/synthetic/generators.js';
import type { WorkersUseCases } from './open.js';
import { evaluationAttempts } from './attempts/evaluation-attempts.js';
import { exportAttempts } from './attempts/export-attempts.js';
import { trainingAttempts } from './attempts/training-attempts.js';
import { abandonedUploads } from './datasets/work/abandoned-uploads/process-manager.js';
import { automaticEvaluations } from './evaluations/work/automatic/process-manager.js';
import { batches } from './batches/work/process-manager.js';
import { datasetClaims } from './datasets/work/claims/process-manager.js';
import { datasetMerges } from './datasets/work/merges/process-manager.js';
import { datasetProcessing } from './datasets/work/processing/process-manager.js';
import { dispatch } from './attempts/dispatch/process-manager.js';
import type { Runners } from './attempts/dispatch/runners.js';
import { distillations } from './distillation/work/process-manager.js';
import { expiry } from './retention/work/expiry/process-manager.js';
import { generationJobs } from './generation/work/process-manager.js';
import { hostedEvaluations } from './evaluations/work/hosted/process-manager.js';
import { hubImports, type HubWork } from './datasets/work/hub-imports/process-manager.js';
import { improvements } from './improvements/work/process-manager.js';
import { interruptedCalls } from './calls/work/interrupted-calls/process-manager.js';
import { modelPolicies } from './models/work/process-manager.js';
import { expiringProposals } from './proposals/work/process-manager.js';
import { trainedNames } from './models/work/trained-names/process-manager.js';
import { reaper } from './erasure/work/reaper/process-manager.js';
import { webhooks, type WebhookWork } from './webhooks/work/process-manager.js';

export interface ProcessManagerNeeds {
  /** Absent: no datasets are fetched from a hub. */
  readonly hubWork?: HubWork | undefined;
  /** Absent: synthetic rows are not generated. */
  readonly generators?: Generators | undefined;
  /** Absent: no hosted models are evaluated, and no models improved or watched. */
  readonly useCases?: WorkersUseCases | undefined;
  /** Absent: no webhooks are delivered. */
  readonly webhookWork?: WebhookWork | undefined;
}

type ProcessManagers = readonly ProcessManager<unknown, unknown>[];

/** Process managers that one worker at a time runs: the leader. */
export const ledProcessManagers = (
  application: Application,
  runners: Runners,
  { useCases, webhookWork }: Pick<ProcessManagerNeeds, 'useCases' | 'webhookWork'>,
): ProcessManagers => [
  abandonedUploads(application),
  automaticEvaluations(application),
  datasetClaims(application),
  dispatch(application, evaluationAttempts, runners),
  dispatch(application, exportAttempts, runners),
  dispatch(application, trainingAttempts, runners),
  expiry(application),
  expiringProposals(application),
  ...(useCases ? [distillations(application, useCases), improvements(application, useCases)] : []),
  interruptedCalls(application),
  ...(useCases ? [modelPolicies(application, useCases.door)] : []),
  reaper(application),
  trainedNames(application),
  ...(webhookWork ? [webhooks(application, webhookWork)] : []),
];

/** Process managers of dataset versions, jobs, evaluations and batches, which every worker runs; a lease on each keeps workers apart. */
export const sharedProcessManagers = (
  application: Application,
  { hubWork, generators, useCases }: ProcessManagerNeeds,
): ProcessManagers => [
  batches(application),
  datasetMerges(application),
  datasetProcessing(application),
  ...(generators ? [generationJobs(application, generators)] : []),
  ...(useCases ? [hostedEvaluations(application, useCases.decoders)] : []),
  ...(hubWork ? [hubImports(application, hubWork)] : []),
];
