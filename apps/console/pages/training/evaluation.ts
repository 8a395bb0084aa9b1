import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api, body, type Schema } from '../../api/client.js';

export type Evaluation = Schema['EvaluationRecord'];

/** The evaluation that follows a job by itself; null until it has begun. Asked again until it has ended. */
export const useAutomaticEvaluation = (jobId: string, enabled = true): UseQueryResult<Evaluation | null> =>
  useEvaluation(jobId, 'automatic', ({ automatic }) => automatic, true, enabled);

/** The newest cross-validation of a job; null if there is none. Asked again until it has ended. */
export const useCrossValidation = (jobId: string): UseQueryResult<Evaluation | null> =>
  useEvaluation(jobId, 'cross-validation', ({ folds }) => folds !== null, false);

/** @param isExpected whether one that is not there yet will come */
const useEvaluation = (
  jobId: string,
  kind: string,
  isWanted: (evaluation: Evaluation) => boolean,
  isExpected: boolean,
  enabled = true,
): UseQueryResult<Evaluation | null> =>
  useQuery({
    queryKey: ['evaluations', 'of job', jobId, kind],
    enabled,
    queryFn: async () => {
      const query = { training_job_id: jobId };
      const { evaluations } = await body(api.GET('/felix/evaluations', { params: { query } }));
      const found = evaluations.find(isWanted);
      if (!found) return null;
      return body(api.GET('/felix/evaluations/{id}', { params: { path: { id: found.id }, query: { limit: 0 } } }));
    },
    refetchInterval: ({ state: { data } }) => ((data ? ENDED.has(data.status) : !isExpected) ? false : 2_000),
  });

const ENDED: ReadonlySet<string> = new Set(['complete', 'failed']);
