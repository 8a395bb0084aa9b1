import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Select } from '../../components/field.js';
import { DatasetLineage } from '../../components/graph/dataset-lineage.js';
import { Panel } from '../../components/page.js';
import { Empty, Loaded } from '../../components/states.js';

/** Lineage of the version in use, from the datasets of its training on. */
export function ModelLineage({ jobId }: { readonly jobId: string }): ReactElement {
  const job = useQuery({
    queryKey: ['training-jobs', jobId, 'datasets'],
    queryFn: () => body(api.GET('/felix/training-jobs/{id}', { params: { path: { id: jobId } } })),
    staleTime: 60_000,
  });
  const [place, setPlace] = useState(0);
  const datasets = job.data?.datasets ?? [];
  const dataset = datasets[place];
  return (
    <Panel
      title="Lineage of the version in use"
      actions={
        datasets.length > 1 && (
          <Select label="From the dataset" value={place} onChange={({ target }) => setPlace(Number(target.value))}>
            {datasets.map(({ name, version }, index) => (
              <option key={`${name} ${version}`} value={index}>
                {name} {version}
              </option>
            ))}
          </Select>
        )
      }
    >
      <Loaded query={job} rows={4}>
        {() =>
          dataset ? (
            <DatasetLineage name={dataset.name} version={dataset.version} />
          ) : (
            <Empty>It was trained on no dataset of this workspace.</Empty>
          )
        }
      </Loaded>
    </Panel>
  );
}
