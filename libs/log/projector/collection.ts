import type { Collection, Index, ReadStore } from '#ports/read-store/port.js';
import type { Projection } from './projection.js';

/**
 * The name of the collection of a projection's version. Each version has one of its own, so that processes of two
 * releases, each of which asks for the version that it was built for, can run side by side.
 */
export const collectionNameOf = ({ name, version }: Pick<Projection, 'name' | 'version'>): string =>
  `${name}-v${version}`;

/** The name and version of a projection whose collection, or the parked keys of one, has this name; null for another. */
export function projectionIn(collectionName: string): { readonly name: string; readonly version: number } | null {
  const [, name, version] = /^(.+?)-v(\d+)(?:-g\d+-parked)?$/.exec(collectionName) ?? [];
  return name === undefined ? null : { name, version: Number(version) };
}

/**
 * The collection that holds a projection's documents, with an index for each of its ordinals.
 * @param generation a rebuild is another one, beside the one that answers queries
 */
export function collectionOf(projection: Projection, generation = 0): Collection {
  const { indexes, ordinals = [], shared = [] } = projection;
  const numbered = ordinals.map(({ field, within }): Index => ({ fields: [...within, field] }));
  const missing = numbered.filter(
    (wanted) => !indexes.some(({ fields }) => wanted.fields.every((field, at) => fields[at] === field)),
  );
  return { name: collectionNameOf(projection), version: generation, indexes: [...indexes, ...missing], shared };
}

const GENERATIONS = 1_000;

export const nextGeneration = (generation: number): number => (generation + 1) % GENERATIONS;

/** The collection that holds the parked keys of another one. */
export const parkedBeside = ({ name, version }: Pick<Collection, 'name' | 'version'>): Collection => ({
  name: `${name}-g${version}-parked`,
  version: 1,
  indexes: [],
});

/** Removes all collections, with their parked keys, except those with these names. */
export async function keepOnly(readStore: ReadStore, kept: ReadonlySet<string>): Promise<void> {
  for (const name of await readStore.names()) {
    const projection = projectionIn(name);
    if (projection && kept.has(collectionNameOf(projection))) continue;
    for (const version of await readStore.versions(name)) await readStore.drop({ name, version, indexes: [] });
  }
}

/** Queries see this collection from now on; other generations are removed. */
export async function takeOver(readStore: ReadStore, { name, version }: Collection): Promise<void> {
  if ((await readStore.activeVersions()).get(name) !== version) await readStore.activate(name, version);
  for (const other of await readStore.versions(name)) {
    if (other === version) continue;
    await readStore.drop({ name, version: other, indexes: [] });
    await readStore.drop(parkedBeside({ name, version: other }));
  }
}
