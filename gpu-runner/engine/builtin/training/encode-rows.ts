import type { Example } from '../../engine.js';
import type { Steps } from '../../steps.js';
import type { TextEncoder } from '../text-encoder.js';

/** Encodes what the heads will ask for, a text a step. The encoder keeps it, so that making the heads is no long turn. */
export function* encodeRows(rows: readonly Example[], encoder: TextEncoder | null): Steps<void> {
  if (encoder === null) return;
  for (const { text, labels } of rows) {
    if (labels === undefined) continue;
    encoder.sentence(text);
    yield;
  }
}
