import type { Position } from '../port.js';

/** Digits of the largest safe integer: positions as strings sort as positions as numbers. */
const WIDTH = 16;

export const toPosition = (position: number): Position => String(position).padStart(WIDTH, '0');

/** @throws RangeError when it is not a position of this adapter */
export function fromPosition(position: Position): number {
  const number = Number(position);
  if (!/^\d+$/.test(position) || !Number.isSafeInteger(number)) {
    throw new RangeError(`${JSON.stringify(position)} is not a position in this log`);
  }
  return number;
}
