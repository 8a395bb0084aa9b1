import type { Projection } from '#projector/projection.js';
import type { ProjectionLocations } from './locations.js';

/** A thread cannot be handed functions, so it imports the projections itself. */
export async function projectionsOf({ projections }: ProjectionLocations): Promise<readonly Projection[]> {
  const module = projections ?? import.meta.resolve('#projections/index.js');
  return ((await import(module)) as { projections: readonly Projection[] }).projections;
}
