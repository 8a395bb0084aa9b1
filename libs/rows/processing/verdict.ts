import type { DatasetVersion } from '#domain/dataset/index.js';
import { ChildDiedError, type ConfinedProcess } from '#primitives/confined-process/index.js';
import { MAX_LISTED_BYTES } from '../formats/index.js';
import type { ChildMessage } from './protocol.js';

/** The share of wrong rows that an uploaded file may have if nothing was said. */
const FEW = 0.05;

/** Rows that the system made itself, and the requests of a batch, are not left out: one that is wrong is a fault. */
export function toleranceOf({
  onError,
  generationType,
  purpose,
}: Pick<DatasetVersion, 'onError' | 'generationType' | 'purpose'>): number {
  if (onError !== undefined) return onError === 'skip' ? 1 : 0;
  return (generationType === 'upload' || generationType === 'hub') && purpose === undefined ? FEW : 0;
}

/** The verdict, and the list of left-out rows that comes before it. */
export async function verdictOf(reader: ConfinedProcess<ChildMessage>) {
  const lines: Buffer[] = [];
  let bytes = 0;
  for (;;) {
    const verdict = await reader.next();
    if (verdict.kind !== 'left-out') return { verdict, lines: Buffer.concat(lines, bytes) };
    const more = Buffer.from(verdict.lines, 'base64');
    if ((bytes += more.length) > MAX_LISTED_BYTES) throw new ChildDiedError('it listed more rows than it may');
    lines.push(more);
  }
}
