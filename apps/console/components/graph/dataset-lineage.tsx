import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { datasetLineage } from '../../api/queries.js';
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
    queryFn: () => datasetLineage({ name, version }),
  });
  return (
    <Loaded query={lineage} rows={4}>
      {(graph) => <LineageGraph graph={graph} />}
    </Loaded>
  );
}
