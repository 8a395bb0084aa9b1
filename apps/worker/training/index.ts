import type { Application } from '#application/application.js';
import type { ProcessManager } from '#process-manager/process-manager.js';
import { datasetClaimsManager } from '../attempts/dataset-claims.js';
import { dispatchManager } from '../attempts/dispatch.js';
import { OPEN_EVALUATION_EVENTS, OPEN_TRAINING_EVENTS } from '../attempts/open-work.js';
import { Runners } from '../attempts/runners.js';
import { serveAttempts } from '../attempts/serve.js';
import { automaticEvaluationsManager } from '../evaluations/automatic-evaluations.js';
import { evaluationAttempts } from '../evaluations/evaluation-attempts.js';
import { trainingAttempts } from './training-attempts.js';

export interface TrainingWork {
  /** For the process-manager host. */
  readonly managers: readonly ProcessManager<unknown, unknown>[];
  readonly runners: Runners;
  /** After the runners and the host have been closed: runners report until then. */
  close(): Promise<void>;
}

/** What a worker does for training jobs and evaluations: answers the runners, and says what is still to do. */
export function startTrainingWork(application: Application): TrainingWork {
  const runners = new Runners(application.ports.bus);
  const served = [trainingAttempts, evaluationAttempts].map((work) => serveAttempts(application, work));
  const managers = [
    dispatchManager(application, trainingAttempts, OPEN_TRAINING_EVENTS, runners),
    dispatchManager(application, evaluationAttempts, OPEN_EVALUATION_EVENTS, runners),
    datasetClaimsManager(application),
    automaticEvaluationsManager(application),
  ] as unknown as readonly ProcessManager<unknown, unknown>[];
  return {
    managers,
    runners,
    async close() {
      await Promise.all(served.map((subscription) => subscription.stop()));
      await runners.close();
    },
  };
}
