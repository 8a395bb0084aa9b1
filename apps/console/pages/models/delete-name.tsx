import type { ReactElement } from 'react';
import { api, type Schema } from '../../api/client.js';
import { Delete } from '../../components/delete.js';
import { counted } from '../../components/values.js';

/** Deletes a name that programs call; the models behind it stay. */
export function DeleteName({ model }: { readonly model: Schema['NamedModelRecord'] }): ReactElement {
  const { name, version, versions = [] } = model;
  return (
    <Delete
      what={name}
      of="models"
      to="/models"
      onDelete={(query) => api.DELETE('/models/{name}', { params: { path: { name }, query } })}
    >
      <p>
        {version === null
          ? 'No version is in use, so no program gets answers by this name.'
          : `Programs that call ${name} get errors at once.`}{' '}
        Its policy, its labels and the order of its {counted(versions.length, 'version')} are lost for good.
      </p>
      <p>The models behind the versions stay, each under the id of its job, and so do its recorded calls.</p>
    </Delete>
  );
}
