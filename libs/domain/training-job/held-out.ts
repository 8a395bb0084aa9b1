import type { DatasetPin, HeldOutRows, TrainingConfiguration, TrainingRequest } from './events.js';

/** The choice of the rows that a job holds out. */
export const heldOutBy = ({
  validationShare,
  splitSeed,
  splitGroups,
  splitByTextFrom,
  splitWholeGroup,
  splitCorrectsFrom,
}: TrainingConfiguration): HeldOutRows => ({
  ...{ share: validationShare, seed: splitSeed },
  ...(splitGroups && { groups: splitGroups }),
  ...(splitByTextFrom !== undefined && { byTextFrom: splitByTextFrom }),
  ...(splitWholeGroup !== undefined && { wholeGroup: splitWholeGroup }),
  ...(splitCorrectsFrom !== undefined && { correctsFrom: splitCorrectsFrom }),
});

/** Datasets of a job whose rows are all held out; they follow those that it learns from. */
export const datasetsHeldOut = ({
  configuration,
  datasets,
}: Pick<TrainingRequest, 'configuration' | 'datasets'>): readonly DatasetPin[] =>
  datasetsHeldOutWhole(datasets, heldOutBy(configuration));

/** Of the datasets among whose rows some are held out, those whose rows all are. */
export function datasetsHeldOutWhole(
  datasets: readonly DatasetPin[],
  { groups = [], wholeGroup }: HeldOutRows,
): readonly DatasetPin[] {
  if (wholeGroup === undefined) return [];
  const first = groups.slice(0, wholeGroup).reduce((sum, size) => sum + size, 0);
  return datasets.slice(first, first + groups[wholeGroup]!);
}

/**
 * The choice by which a job on another one's datasets, followed by more, holds out the same rows of the former. Later
 * rows of an encoder replace those with the same text; chats do not, since a prompt may have several answers.
 */
export function heldOutLike(
  { configuration, datasets }: Pick<TrainingRequest, 'configuration' | 'datasets'>,
  all: number,
): HeldOutRows {
  const { splitGroups, splitByTextFrom, splitCorrectsFrom, decoder } = configuration;
  const known = splitGroups ?? [datasets.length];
  const isLonger = all > datasets.length;
  const groups = isLonger ? [...known, all - datasets.length] : known;
  const corrects = isLonger && !decoder ? { correctsFrom: splitCorrectsFrom ?? known.length } : {};
  return { ...heldOutBy(configuration), groups, byTextFrom: splitByTextFrom ?? known.length, ...corrects };
}
