import type { Collection, Index } from '#read-store/port.js';
import type { Projection } from './projection.js';

/** The collection that holds a projection's documents, with an index for each of its ordinals. */
export function collectionOf({ name, version, indexes, ordinals = [] }: Projection): Collection {
  const numbered = ordinals.map(({ field, within }): Index => ({ fields: [...within, field] }));
  const missing = numbered.filter(
    (wanted) => !indexes.some(({ fields }) => wanted.fields.every((field, at) => fields[at] === field)),
  );
  return { name, version, indexes: [...indexes, ...missing] };
}
