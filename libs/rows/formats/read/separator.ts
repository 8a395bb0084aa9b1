import type { Separator } from '../blocks.js';

/** In the order of precedence when a header row has as many of each. */
export const SEPARATORS: readonly Separator[] = ['\t', ',', ';', '|'];
/** Bytes of a file of lines that are looked at, unless fewer hold enough lines. */
export const MAX_SNIFFED_BYTES = 64 * 1024;
const MIN_SNIFFED_LINES = 200;
const NEWLINE = 0x0a;

/** Whether the content of a file of lines can be detected from this beginning. */
export function hasLines(begun: Buffer): boolean {
  let at = -1;
  for (let lines = 0; lines < MIN_SNIFFED_LINES; lines += 1) {
    at = begun.indexOf(NEWLINE, at + 1);
    if (at < 0) return false;
  }
  return true;
}

/** The separator that is most frequent in the header row, outside of quotes. */
export function separatorOf(head: Buffer): Separator {
  const [line = ''] = head
    .toString('latin1')
    .replaceAll(/"(?:[^"]|"")*"/g, '')
    .split('\n', 1);
  const count = (separator: Separator) => line.split(separator).length - 1;
  const most = SEPARATORS.reduce((best, each) => (count(each) > count(best) ? each : best));
  return count(most) === 0 ? ',' : most;
}
