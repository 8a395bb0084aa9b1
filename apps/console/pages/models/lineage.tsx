import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { datasetLineage } from '../../api/queries.js';
import { around } from '../../components/graph/around.js';
import { LineageGraph } from '../../components/graph/graph.js';
import { Panel } from '../../components/page.js';
import { Empty, Loaded } from '../../components/states.js';

type Job = Schema['TrainingJobRecord'];

/**
 * Lineage of the version in use: all datasets that its training learned from, with their origins, and the results of
 * the training.
 */
export function ModelLineage({ jobId }: { readonly jobId: string }): ReactElement {
  const lineage = useQuery({
    queryKey: ['training-jobs', jobId, 'lineage'],
    queryFn: async () => {
      const job = await body(api.GET('/felix/training-jobs/{id}', { params: { path: { id: jobId } } }));
      const graphs = await Promise.all(job.datasets.map(datasetLineage));
      return graphs.length === 0 ? null : around(graphs, nodeOf(job));
    },
    staleTime: 60_000,
  });
  return (
    <Panel title="Lineage of the version in use">
      <Loaded query={lineage} rows={4}>
        {(graph) =>
          graph ? <LineageGraph graph={graph} /> : <Empty>It was trained on no dataset of this workspace.</Empty>
        }
      </Loaded>
    </Panel>
  );
}

/** In the form of the API's graphs. */
const nodeOf = ({ id, model_name }: Job) => ({
  ...({ id: `job:${id}`, kind: 'job' } as const),
  ...{ label: model_name, event: null, link: `/felix/training-jobs/${id}` },
});
