import { ArtifactError } from '../../engine.js';
import { LEARNED_TEXTS } from '../artifact/index.js';
import type { ClassificationHead } from '../classification/index.js';
import { LearnedTexts, type TaskJudge } from '../likeness/index.js';
import type { SentenceEncoder } from '../text-encoder.js';

/** The texts that a model learned from, read at the first request. */
export interface LazyTexts {
  readonly byteSize: number;
  /** Null if they are damaged, or of another version: the model answers without them. */
  read(): LearnedTexts | null;
}

/** @returns null if the model does not keep what they are like */
export function learnedTextsOf(directory: string, encoder: SentenceEncoder | null): LazyTexts | null {
  const byteSize = LEARNED_TEXTS.sizeIn(directory);
  if (byteSize === 0) return null;
  let texts: LearnedTexts | null | undefined;
  const load = () => {
    try {
      const tensors = LEARNED_TEXTS.read(directory);
      return tensors && new LearnedTexts(tensors, encoder);
    } catch (error) {
      if (error instanceof ArtifactError) return null;
      throw error;
    }
  };
  return { byteSize, read: () => (texts === undefined ? (texts = load()) : texts) };
}

export const taskJudge = (head: ClassificationHead & { readonly task: string }): TaskJudge => ({
  task: head.task,
  judge: (text) => head.probabilities(text),
});
