import type { Schema } from '../../api/client.js';

type Improvement = Schema['ImprovementRecord'];

/**
 * Improvements that wait for a decision: the newest of each name, where it passed and is not yet in use, or was refused.
 * @param improvements newest first
 */
export function gatesThatWait(
  improvements: readonly Improvement[],
  models: readonly Schema['NamedModelRecord'][],
): readonly Improvement[] {
  const inUse = new Map(models.map(({ name, version }) => [name, version]));
  const newest = improvements.filter(
    ({ model }, index) => improvements.findIndex((each) => each.model === model) === index,
  );
  return newest.filter(({ model, outcome, version, forced }) =>
    outcome === 'candidate' ? inUse.get(model) !== version : outcome === 'rejected' && forced === null,
  );
}
