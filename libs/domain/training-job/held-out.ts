import type { HeldOutRows, TrainingConfiguration, TrainingRequest } from './events.js';

/** How a job chooses the rows that it holds out. */
export const heldOutBy = ({ validationShare, splitSeed, splitGroups }: TrainingConfiguration): HeldOutRows => ({
  ...{ share: validationShare, seed: splitSeed },
  ...(splitGroups && { groups: splitGroups }),
});

/** The groups for a job on the datasets of another one, followed by others, so that it holds out the same rows of the former. */
export const groupsLike = (
  { configuration, datasets }: Pick<TrainingRequest, 'configuration' | 'datasets'>,
  all: number,
): readonly number[] => {
  const groups = configuration.splitGroups ?? [datasets.length];
  return all > datasets.length ? [...groups, all - datasets.length] : groups;
};
