import type { Collection, Index, ReadStore } from '#ports/read-store/port.js';
import type { Projection } from './projection.js';

/** A rebuild is another generation of the same version, beside the one that answers queries. */
const GENERATIONS = 1_000;

/** The collection that holds a projection's documents, with an index for each of its ordinals. */
export function collectionOf({ name, version, indexes, ordinals = [] }: Projection, generation = 0): Collection {
  const numbered = ordinals.map(({ field, within }): Index => ({ fields: [...within, field] }));
  const missing = numbered.filter(
    (wanted) => !indexes.some(({ fields }) => wanted.fields.every((field, at) => fields[at] === field)),
  );
  return { name, version: version * GENERATIONS + generation, indexes: [...indexes, ...missing] };
}

/** The generation of a projection in a collection's version; null for another version. */
export function generationOf({ version }: Projection, collectionVersion: number): number | null {
  return Math.floor(collectionVersion / GENERATIONS) === version ? collectionVersion % GENERATIONS : null;
}

export const nextGeneration = (generation: number): number => (generation + 1) % GENERATIONS;

/** The collection that holds the parked keys of another one. */
export const parkedBeside = ({ name, version }: Pick<Collection, 'name' | 'version'>): Collection => ({
  name: `${name}-v${version}-parked`,
  version: 1,
  indexes: [],
});

/** Queries see this collection from now on; other versions and generations are removed. */
export async function takeOver(readStore: ReadStore, { name, version }: Collection): Promise<void> {
  if ((await readStore.activeVersions()).get(name) !== version) await readStore.activate(name, version);
  for (const other of await readStore.versions(name)) {
    if (other === version) continue;
    await readStore.drop({ name, version: other, indexes: [] });
    await readStore.drop(parkedBeside({ name, version: other }));
  }
}
