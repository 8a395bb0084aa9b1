import {
  ArtifactError,
  type ExplainRequest,
  type InferHead,
  type InferResult,
  type InferWarning,
} from '../../engine.js';
import { TRAINING_ROWS } from '../artifact/index.js';
import { KeptRows } from '../classification/index.js';
import type { HeadState } from '../head.js';
import type { TextEncoder } from '../text-encoder.js';

/** Rows that explain the answer to one text. */
const NEAREST = 3;

/** The kept training rows of a model, read at the first request. */
export interface LazyRows {
  readonly byteSize: number;
  /** Null if they are of another version. @throws ArtifactError */
  read(): KeptRows | null;
}

/** @returns null if the model keeps no rows */
export function keptRowsOf(
  directory: string,
  classifier: HeadState | undefined,
  encoder: TextEncoder | null,
): LazyRows | null {
  const byteSize = TRAINING_ROWS.sizeIn(directory);
  if (byteSize === 0) return null;
  let rows: KeptRows | null | undefined;
  const load = () => {
    const tensors = TRAINING_ROWS.read(directory);
    return tensors && new KeptRows(tensors, classifier ?? null, encoder);
  };
  return { byteSize, read: () => (rows === undefined ? (rows = load()) : rows) };
}

interface ExplanationPlan {
  readonly warnings: readonly InferWarning[];
  answer(text: string): Pick<InferResult, 'nearest'>;
}

/**
 * Explains the answers of trained heads; if they give none, a warning says so.
 * @param heads trained heads with a request for something that they learned
 */
export function planExplanation(
  { datasets }: ExplainRequest,
  heads: readonly InferHead[],
  lazyRows: LazyRows | null,
): ExplanationPlan {
  const none = (message: string): ExplanationPlan => ({
    warnings: [{ code: 'explanation_unavailable', message }],
    answer: () => ({}),
  });
  if (heads.length === 0)
    return none('Only answers by labels that the model was trained on are explained, and this one has none.');
  const rows = lazyRows && readable(lazyRows);
  if (rows === null)
    return none(
      'The model keeps no vectors of its training rows that can be read. Train it again to have its answers explained.',
    );
  if (!rows.has(heads))
    return none(
      "The rows of this model's own job are not labelled for such an answer. Train it again on rows that are to have it explained.",
    );
  const allowed = new Set(datasets);
  return { warnings: [], answer: (text) => ({ nearest: rows.nearest(text, NEAREST, allowed, heads) }) };
}

/** Damaged rows explain nothing, and the model answers without them. */
function readable(lazyRows: LazyRows): KeptRows | null {
  try {
    return lazyRows.read();
  } catch (error) {
    if (error instanceof ArtifactError) return null;
    throw error;
  }
}
