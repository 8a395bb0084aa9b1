import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, type Schema } from '../../api/client.js';
import { versionLineage } from '../../api/queries.js';
import { Delete } from '../../components/delete.js';
import { counted } from '../../components/values.js';

/** Deletes a version, and names what was made of it. */
export function DeleteVersion({ version }: { readonly version: Schema['DatasetVersionRecord'] }): ReactElement {
  const { name, version_number, sample_size, status } = version;
  const path = { name, version: version_number };
  const lineage = useQuery({
    queryKey: ['datasets', name, version_number, 'lineage'],
    queryFn: () => versionLineage(path),
    meta: { late: true },
  });
  const models = lineage.data?.graph.nodes.filter(({ kind }) => kind === 'job').map((node) => node.label) ?? [];
  return (
    <Delete
      what={`${name}/${version_number}`}
      of="datasets"
      to="/datasets"
      onDelete={(query) => api.DELETE('/felix/datasets/{name}/{version}', { params: { path, query } })}
    >
      <p>
        {status === 'ready'
          ? `Its ${counted(sample_size, 'row')} can no longer be read or learned from. Under Datasets it can be restored, as long as there is room for it.`
          : 'It is not ready, so it cannot be restored.'}
      </p>
      {models.length > 0 && <p>Models that learned from it stay and go on answering: {models.join(', ')}.</p>}
    </Delete>
  );
}

interface DatasetProps {
  readonly name: string;
  readonly list: readonly Schema['DatasetVersionRecord'][];
}

/** Deletes all versions of a dataset. */
export function DeleteDataset({ name, list }: DatasetProps): ReactElement {
  const rows = list.reduce((sum, { sample_size }) => sum + sample_size, 0);
  return (
    <Delete
      what={`all versions of ${name}`}
      of="datasets"
      to="/datasets"
      onDelete={(query) => api.DELETE('/felix/datasets/{name}', { params: { path: { name }, query } })}
    >
      <p>
        {counted(list.length, 'version')} with {counted(rows, 'row')} together can no longer be read or learned from.
        Those that are ready can be restored under Datasets, as long as there is room for them.
      </p>
      <p>Models that learned from them stay and go on answering.</p>
    </Delete>
  );
}
