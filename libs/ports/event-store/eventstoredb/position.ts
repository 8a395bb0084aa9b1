import type { Position } from '../port.js';

/** EventStoreDB's own: bytes into the log, of the transaction and of the record. */
export interface LogPosition {
  readonly commit: bigint;
  readonly prepare: bigint;
}

/** Digits of the largest unsigned number of 64 bits: as strings they sort as numbers do. */
const WIDTH = 20;
/** Means "not reported" in answers of old servers. */
const UNKNOWN = 2n ** 63n - 1n;
/** Means "none yet": https://github.com/kurrent-io/KurrentDB/pull/4892 */
const NO_CHECKPOINT = 2n ** 64n - 1n;

/** False for the checkpoint that servers from 24.2 to 24.10.4 tell while they have none. */
export const isCheckpoint = ({ commit }: LogPosition): boolean => commit !== NO_CHECKPOINT;

/**
 * The record's position if it equals the transaction's, as with every append over gRPC. An earlier position (a
 * subscription that catches up reports its progress as `{ commit: where the next record begins, prepare: 0 }`:
 * https://github.com/kurrent-io/KurrentDB/issues/3989, https://github.com/kurrent-io/KurrentDB/issues/4970) is written
 * behind the byte before: string order is log order, and the record that is written there later stands behind it.
 * @throws Error if the server did not report it
 */
export function toPosition(position: LogPosition | undefined): Position {
  if (!position || position.commit < 0n || position.commit >= UNKNOWN) {
    throw new Error('the server returns no positions of events; EventStoreDB 23.10 or later is required');
  }
  const { commit, prepare } = position;
  return commit === prepare ? digits(commit) : digits(commit - 1n) + digits(prepare);
}

/** @throws RangeError when it is not a position of this adapter */
export function fromPosition(position: Position): LogPosition {
  if (!/^(\d{20}){1,2}$/.test(position)) {
    throw new RangeError(`${JSON.stringify(position)} is not a position in this log`);
  }
  const place = BigInt(position.slice(0, WIDTH));
  return position.length > WIDTH
    ? { commit: place + 1n, prepare: BigInt(position.slice(WIDTH)) }
    : { commit: place, prepare: place };
}

const digits = (n: bigint): string => n.toString().padStart(WIDTH, '0');
