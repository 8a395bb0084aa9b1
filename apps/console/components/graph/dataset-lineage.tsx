import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Loaded } from '../states.js';
import { LineageGraph } from './graph.js';

interface Props {
  readonly name: string;
  readonly version: string;
}

/** Lineage of a dataset version: its origins, and the models that learned from it. */
export function DatasetLineage({ name, version }: Props): ReactElement {
  const lineage = useQuery({
    queryKey: ['datasets', name, version, 'lineage'],
    queryFn: () =>
      body(
        api.GET('/lineage/datasets/{name}/{version}', { params: { path: { name, version }, query: { limit: 50 } } }),
      ),
  });
  return (
    <Loaded query={lineage} rows={4}>
      {({ graph }) => <LineageGraph graph={graph} />}
    </Loaded>
  );
}
