import type { Separator } from '../blocks.js';

/** In the order in which they count when a header row has as many of each. */
const SEPARATORS: readonly Separator[] = ['\t', ',', ';', '|'];
/** Bytes of a header row that are looked at. */
export const MAX_SNIFFED_BYTES = 64 * 1024;

/** The separator of which a header row has the most, outside of quotes. */
export function separatorOf(head: Buffer): Separator {
  const [line = ''] = head
    .toString('latin1')
    .replaceAll(/"(?:[^"]|"")*"/g, '')
    .split('\n', 1);
  const count = (separator: Separator) => line.split(separator).length - 1;
  const most = SEPARATORS.reduce((best, each) => (count(each) > count(best) ? each : best));
  return count(most) === 0 ? ',' : most;
}
