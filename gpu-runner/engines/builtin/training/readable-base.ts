import { ArtifactError, type Example } from '../../engine.js';
import { rowsToEncode } from '../classification/index.js';
import type { HeadState } from '../head.js';
import { createModel, type LoadedBase } from '../inference/index.js';

/** Rows that are judged, evenly spread. */
const MAX_JUDGED_ROWS = 1_000;
/** With an English pack, Chinese rows have 0.62 to 0.70, Japanese ones up to 0.25, Korean ones 0.10, others less. */
const MAX_UNKNOWN_SHARE = 0.5;

/**
 * The base that a job learns from: without its encoder if that lacks most tokens of an average row.
 * @param continued heads of the adapter that the job continues, which keep the encoder if they read its vectors
 */
export function readableBase(
  base: LoadedBase,
  rows: readonly Example[],
  continued: Readonly<Record<string, HeadState>>,
  log: (message: string) => void,
): LoadedBase {
  const { encoder } = base;
  if (encoder === null) return base;
  const judged = rowsToEncode(rows, MAX_JUDGED_ROWS);
  const share = judged.reduce((sum, { text }) => sum + encoder.unknownShare(text), 0) / judged.length;
  const bare = { ...base, encoder: null, sentences: null };
  if (!(share > MAX_UNKNOWN_SHARE) || !loads(bare, continued)) return base;
  log(
    `The pretrained encoder lacks ${Math.round(100 * share)}% of the tokens of the rows: ` +
      'its vectors are left out, and surface forms alone are learned.',
  );
  return bare;
}

function loads(base: LoadedBase, heads: Readonly<Record<string, HeadState>>): boolean {
  try {
    createModel(base, heads, 0);
    return true;
  } catch (error) {
    if (error instanceof ArtifactError) return false;
    throw error;
  }
}
