import { ArtifactError } from '../engine.js';
import { openTokenizer, type Tokenizer } from '../packs/runtime.js';

/** @param json content of `tokenizer.json` @throws ArtifactError if it cannot be read */
export function tokenizerOf(json: string): Tokenizer {
  try {
    return openTokenizer(json);
  } catch (error) {
    if (error instanceof ArtifactError) throw error;
    throw new ArtifactError(`tokenizer.json cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** @throws ArtifactError if the tokenizer has no id for some part of a text */
export function idsOf(tokenizer: Tokenizer, text: string, withMarks: boolean): readonly number[] {
  let ids: readonly unknown[];
  try {
    ({ ids } = tokenizer.encode(text, { add_special_tokens: withMarks }));
  } catch (error) {
    throw new ArtifactError(`tokenizer.json cannot split a text: ${(error as Error).message}`, { cause: error });
  }
  if (!ids.every(Number.isSafeInteger))
    throw new ArtifactError('tokenizer.json has no token for unknown parts of words');
  return ids as readonly number[];
}
