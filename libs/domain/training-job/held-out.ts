import type { HeldOutRows, TrainingConfiguration, TrainingRequest } from './events.js';

/** How a job chooses the rows that it holds out. */
export const heldOutBy = ({
  validationShare,
  splitSeed,
  splitGroups,
  splitByTextFrom,
}: TrainingConfiguration): HeldOutRows => ({
  ...{ share: validationShare, seed: splitSeed },
  ...(splitGroups && { groups: splitGroups }),
  ...(splitByTextFrom !== undefined && { byTextFrom: splitByTextFrom }),
});

/** How a job on the datasets of another one, followed by others, holds out the same rows of the former. */
export function heldOutLike(
  { configuration, datasets }: Pick<TrainingRequest, 'configuration' | 'datasets'>,
  all: number,
): HeldOutRows {
  const known = configuration.splitGroups ?? [datasets.length];
  const groups = all > datasets.length ? [...known, all - datasets.length] : known;
  return { ...heldOutBy(configuration), groups, byTextFrom: configuration.splitByTextFrom ?? known.length };
}
