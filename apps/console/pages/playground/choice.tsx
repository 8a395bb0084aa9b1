import type { ReactElement } from 'react';
import { Select } from '../../components/field.js';
import type { Filters } from '../../components/use-filters.js';
import type { Callable } from './models.js';

export interface Chosen {
  readonly models: readonly Callable[];
  readonly model: Callable;
  readonly filters: Filters;
  readonly onChange: (changes: Filters) => void;
}

/** The model that is asked. */
export const ModelChoice = ({ models, model, onChange }: Chosen): ReactElement => (
  <Select label="Model" value={model.id} onChange={({ target }) => onChange({ model: target.value })}>
    {models.map(({ id, title }) => (
      <option key={id} value={id}>
        {title}
      </option>
    ))}
  </Select>
);
