import type { ResolvedSpan } from '../rows/spans.js';
import { rowSpans, withoutOverlaps } from './row-spans.js';
import type { ExportShape } from './shape.js';

/** Words and single marks. */
const TOKEN = /[\p{L}\p{M}\p{N}_]+|\S/gu;

/** A token and its BIO tag on each line, a blank line after each text. @see https://aclanthology.org/W03-0419/ */
export const conll: ExportShape = {
  mediaType: 'text/plain; charset=utf-8',
  ending: 'conll',
  heads: ['entities'],
  always: 'white space between tokens',
  isList: false,
  write(row, _, leaveOut) {
    const found = rowSpans(row);
    if (found?.spans == null) {
      leaveOut('rows without entities');
      return null;
    }
    const { text } = found;
    const spans = withoutOverlaps(found, leaveOut);
    const lines = pieces(text, spans).flatMap(({ from, to, span }) =>
      [...text.slice(from, to).matchAll(TOKEN)].map(([token], index) => `${token} ${tagOf(span, index)}\n`),
    );
    return `${lines.join('')}\n`;
  },
};

const tagOf = (span: ResolvedSpan | null, index: number): string =>
  span === null ? 'O' : `${index === 0 ? 'B' : 'I'}-${span.label.replaceAll(/\s+/g, '_')}`;

/** The text cut at the ends of its spans, so that no token lies across one. */
function pieces(text: string, spans: readonly ResolvedSpan[]) {
  const all: { readonly from: number; readonly to: number; readonly span: ResolvedSpan | null }[] = [];
  let at = 0;
  for (const span of spans) {
    all.push({ from: at, to: span.start, span: null }, { from: span.start, to: span.end, span });
    at = span.end;
  }
  return [...all, { from: at, to: text.length, span: null }];
}
