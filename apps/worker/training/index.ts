import type { Application } from '#application/application.js';
import type { Subscription } from '#bus/port.js';
import type { ProcessManager } from '#process-manager/process-manager.js';
import { datasetClaimsManager } from '../attempts/dataset-claims.js';
import { dispatchManager } from '../attempts/dispatch.js';
import type { Runners } from '../attempts/runners.js';
import { serveAttempts } from '../attempts/serve.js';
import { automaticEvaluationsManager } from '../evaluations/automatic-evaluations.js';
import { evaluationAttempts } from '../evaluations/evaluation-attempts.js';
import { reaper } from '../reaper/index.js';
import { trainingAttempts } from './training-attempts.js';

/** Answers what runners claim and report of training jobs and evaluations. Any number of workers may at once. */
export function serveRunners(application: Application): Subscription {
  const served = [trainingAttempts, evaluationAttempts].map((work) => serveAttempts(application, work));
  return { stop: async () => void (await Promise.all(served.map((subscription) => subscription.stop()))) };
}

/** Says what is still to do for training jobs and evaluations, and does it. */
export const trainingManagers = (
  application: Application,
  runners: Runners,
): readonly ProcessManager<unknown, unknown>[] => [
  dispatchManager(application, trainingAttempts, runners),
  dispatchManager(application, evaluationAttempts, runners),
  datasetClaimsManager(application),
  automaticEvaluationsManager(application),
  reaper(application),
];
