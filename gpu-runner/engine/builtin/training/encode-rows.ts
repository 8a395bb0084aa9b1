import type { Example } from '../../engine.js';
import type { Steps } from '../../steps.js';
import { vectorsFit } from '../entities/index.js';
import { alignSpans } from '../text/alignment.js';
import type { TextEncoder } from '../text-encoder.js';

/** Encodes what the heads will ask for, a segment or text a step. The encoder keeps it, so that making the heads is no long turn. */
export function* encodeRows(rows: readonly Example[], encoder: TextEncoder | null): Steps<void> {
  if (encoder === null) return;
  const hasWords = ({ entities, structures, relations }: Example) =>
    (entities ?? structures ?? relations) !== undefined;
  const readsWords = vectorsFit(rows.filter(hasWords).map(({ text }) => text));
  for (const row of rows) {
    if (readsWords && hasWords(row))
      for (const { tokens } of alignSpans(row.text, row.entities ?? []).segments) {
        encoder.words(tokens.map((token) => token.text));
        yield;
      }
    if (row.labels === undefined) continue;
    encoder.sentence(row.text);
    yield;
  }
}
