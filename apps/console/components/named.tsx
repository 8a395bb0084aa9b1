import type { ReactElement } from 'react';
import { useNames } from '../api/names.js';

/** The name of a person, a key or a trained model, with the id on hover; the id where nobody has named it. */
export function Named({ id }: { readonly id: string }): ReactElement {
  const name = useNames().get(id);
  // In one line, as the name that may come: rows keep their height.
  return name === undefined ? (
    <code title={id} className="inline-block max-w-44 truncate align-bottom text-xs">
      {id}
    </code>
  ) : (
    <span title={id}>{name}</span>
  );
}
