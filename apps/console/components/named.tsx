import type { ReactElement } from 'react';
import { useNames } from '../api/names.js';
import { Id } from './values.js';

/** The name of a person, a key or a trained model, with the id on hover; the id where nobody has named it. */
export function Named({ id }: { readonly id: string }): ReactElement {
  const name = useNames().get(id);
  return name === undefined ? <Id>{id}</Id> : <span title={id}>{name}</span>;
}
