import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api, body } from '../../api/client.js';

export interface Callable {
  readonly id: string;
  readonly title: string;
  /** A named model answers with the labels that it was trained with. */
  readonly hasLabels: boolean;
}

/** What can be asked about a text: names in force first, then base encoders. */
export const useCallable = (): UseQueryResult<readonly Callable[]> =>
  useQuery({
    queryKey: ['callable'],
    queryFn: async () => {
      const [named, base] = await Promise.all([
        body(api.GET('/models')),
        body(api.GET('/base-models', { params: { query: { supports_inference: true, task_type: 'encoder' } } })),
      ]);
      return [
        ...named.models
          .filter(({ model_id }) => model_id !== null)
          .map(({ name }) => ({ id: name, title: name, hasLabels: true })),
        ...base.models.map(({ id, label }) => ({ id, title: label, hasLabels: false })),
      ];
    },
  });
