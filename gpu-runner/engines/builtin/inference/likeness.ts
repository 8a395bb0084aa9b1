import { ArtifactError, type Likeness } from '../../engine.js';
import { LEARNED_TEXTS } from '../artifact/index.js';
import { LearnedTexts } from '../likeness/index.js';
import type { SentenceEncoder } from '../text-encoder.js';

/** The texts that a model learned from, read at the first request. */
export interface LazyTexts {
  readonly byteSize: number;
  /** Undefined if they cannot be read. */
  likenessOf(text: string, truncated: boolean): Likeness | undefined;
}

/** @returns null if the model does not keep what they are like */
export function learnedTextsOf(directory: string, encoder: SentenceEncoder | null): LazyTexts | null {
  const byteSize = LEARNED_TEXTS.sizeIn(directory);
  if (byteSize === 0) return null;
  let texts: LearnedTexts | null | undefined;
  return {
    byteSize,
    likenessOf(text, truncated) {
      texts ??= readable(directory, encoder);
      return texts?.likenessOf(text, truncated);
    },
  };
}

/** Null if they are damaged, or of another version: the model answers without them. */
function readable(directory: string, encoder: SentenceEncoder | null): LearnedTexts | null {
  try {
    const tensors = LEARNED_TEXTS.read(directory);
    return tensors && new LearnedTexts(tensors, encoder);
  } catch (error) {
    if (error instanceof ArtifactError) return null;
    throw error;
  }
}
