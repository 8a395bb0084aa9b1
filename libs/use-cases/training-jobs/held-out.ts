import { InvalidError, type InvalidField } from '#domain/errors.js';
import {
  datasetsHeldOut,
  heldOutLike,
  type DatasetPin,
  type HeldOutRows,
  type TrainingRequest,
} from '#domain/training-job/index.js';
import { isPresent } from '#primitives/values.js';
import type { DatasetRequest } from '../datasets/dataset-claims.js';
import type { TrainingJobOrder } from './order.js';

/** @throws InvalidError fields that determine the held-out rows in two ways, or hold out all rows */
export function requireOneWay({ datasets, hold_out_like, validation_data_percentage }: TrainingJobOrder): void {
  const first = datasets.findIndex(({ held_out }) => held_out);
  if (first === -1) return;
  const refused = (path: readonly (string | number)[], message: string): InvalidField => ({
    ...{ path: ['body', ...path], message, type: 'not_allowed' },
  });
  const learned = datasets.findLastIndex(({ held_out }) => !held_out);
  const fields = [
    ...(learned === -1 ? [refused(['datasets'], 'must name one to learn from; all are held out')] : []),
    ...(learned > first ? [refused(['datasets', first, 'held_out'], 'must come after those to learn from')] : []),
    ...(isPresent(hold_out_like)
      ? [
          refused(
            ['datasets', first, 'held_out'],
            'must not be sent with hold_out_like, whose job determines the rows held out',
          ),
        ]
      : []),
    ...(isPresent(validation_data_percentage)
      ? [refused(['validation_data_percentage'], 'must not be sent with a dataset that is held out; leave it out')]
      : []),
  ];
  if (fields.length > 0) throw new InvalidError(fields);
}

/** The datasets of a job; those that the other job holds out whole are held out again. */
export const heldOutAgain = (requests: readonly DatasetRequest[], like: TrainingRequest): readonly DatasetRequest[] => {
  const whole = datasetsHeldOut(like);
  const first = whole[0] ? like.datasets.indexOf(whole[0]) : 0;
  return requests.map((request, at) => ({ ...request, isHeldOut: at >= first && at < first + whole.length }));
};

/**
 * The rows that a job holds out; null for a share of all.
 * @param like the job whose held-out rows are held out again
 * @throws InvalidError the datasets do not begin with those of that job
 */
export function heldOutRows(
  requests: readonly DatasetRequest[],
  pins: readonly DatasetPin[],
  like: TrainingRequest | null,
): HeldOutRows | null {
  if (like) return heldOutAlso(like, pins);
  const whole = requests.filter(({ isHeldOut }) => isHeldOut).length;
  if (whole === 0) return null;
  return { share: 0, seed: 0, groups: [pins.length - whole, whole], byTextFrom: 0, wholeGroup: 1 };
}

function heldOutAlso(like: TrainingRequest, pins: readonly DatasetPin[]): HeldOutRows {
  const isLike = like.datasets.every(({ object }, at) => object.sha256 === pins[at]?.object.sha256);
  if (!isLike) {
    const names = like.datasets.map(({ name, versionNumber }) => `${JSON.stringify(name)} version ${versionNumber}`);
    throw new InvalidError({
      path: ['body', 'hold_out_like'],
      message: `names a job on other datasets: begin \`datasets\` with ${names.join(', ')}`,
      type: 'not_allowed',
    });
  }
  return heldOutLike(like, pins.length);
}
