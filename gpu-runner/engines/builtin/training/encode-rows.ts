import type { Example } from '../../engine.js';
import type { Steps } from '../../steps.js';
import { MAX_ENCODED_ROWS, rowsToEncode } from '../classification/index.js';
import type { HeadTrainerInput } from '../head.js';
import { alignSpans } from '../text/alignment.js';
import type { TextEncoder } from '../text-encoder.js';
import { rowsOfHeads } from './heads.js';

/**
 * Encodes the texts that a classifier will request, and the words of the rows that heads are judged by, a segment or
 * text a step. The encoder caches them, so that no later step takes long.
 * @param most training rows of which the whole text is encoded
 */
export function* encodeRows(
  job: Pick<HeadTrainerInput, 'train' | 'validation'>,
  encoder: TextEncoder | null,
  most = MAX_ENCODED_ROWS,
): Steps<void> {
  if (encoder === null) return;
  const byWord = new Set<Example>();
  const whole = new Set<Example>();
  for (const { readsTexts, train, validation } of rowsOfHeads(job)) {
    if (readsTexts) {
      const judged = validation === train ? [] : validation;
      for (const row of [...judged, ...rowsToEncode(train, most)]) whole.add(row);
    } else if (validation !== train) for (const row of validation) byWord.add(row);
  }
  // Validation rows first: the encoder keeps a limited number, and these are needed after each epoch.
  for (const row of new Set([...job.validation, ...job.train])) {
    if (byWord.has(row))
      for (const { tokens } of alignSpans(row.text, row.entities ?? []).segments) {
        encoder.words(tokens.map((token) => token.text));
        yield;
      }
    if (!whole.has(row)) continue;
    encoder.sentence(row.text);
    yield;
  }
}
