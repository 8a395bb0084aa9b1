import type { Separator } from '../blocks.js';
import type { FileLimits } from '../limits.js';
import { csvRecords, isEmpty } from './csv.js';

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

/** The separator in a first line such as `sep=;`, which Excel reads and hides, and the bytes of that line; null: there is none. */
export function declaredSeparator(head: Buffer): { readonly separator: Separator; readonly bytes: number } | null {
  const [line, given = ''] = /^"?sep=(.)"?[,;|\t]*\r?\n/i.exec(head.toString('latin1', 0, MAX_DECLARATION)) ?? [];
  const separator = SEPARATORS.find((each) => each === given);
  return line === undefined || separator === undefined ? null : { separator, bytes: line.length };
}

const MAX_DECLARATION = 32;

/** Whether cells between tabs are quoted as in CSV: some of them contain line breaks, and only so all records have as many cells. */
export function hasQuotedBreaks(head: Buffer, limits: Pick<FileLimits, 'rowBytes'>): boolean {
  if (!/(?:^|[\t\n])"[^"\t]*\r?\n/.test(head.toString('latin1'))) return false;
  const whole = head.subarray(0, head.lastIndexOf('\n') + 1);
  const widthsOf = (areQuoted: boolean) => {
    const widths = new Set<number>();
    csvRecords(whole, limits, '\t', (cells) => void (isEmpty(cells) || widths.add(cells.length)), { areQuoted });
    return widths;
  };
  return widthsOf(true).size === 1 && widthsOf(false).size > 1;
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
