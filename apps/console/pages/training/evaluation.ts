import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api, body, type Schema } from '../../api/client.js';

type Evaluation = Schema['EvaluationRecord'];

/** The evaluation that follows a job by itself; null until it has begun. Asked again until it has ended. */
export const useAutomaticEvaluation = (jobId: string): UseQueryResult<Evaluation | null> =>
  useQuery({
    queryKey: ['evaluations', 'of job', jobId],
    queryFn: async () => {
      const query = { training_job_id: jobId };
      const { evaluations } = await body(api.GET('/felix/evaluations', { params: { query } }));
      const found = evaluations.find(({ automatic }) => automatic);
      if (!found) return null;
      return body(api.GET('/felix/evaluations/{id}', { params: { path: { id: found.id }, query: { limit: 0 } } }));
    },
    refetchInterval: ({ state }) => (state.data && ENDED.has(state.data.status) ? false : 2_000),
  });

const ENDED: ReadonlySet<string> = new Set(['complete', 'failed']);
