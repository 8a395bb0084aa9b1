import { ArtifactError, type ExplainRequest, type InferResult, type InferWarning } from '../../engine.js';
import { readKeptRows, sizeOfKeptRows } from '../artifact/index.js';
import { KeptRows } from '../classification/index.js';
import type { HeadState } from '../head.js';
import type { TextEncoder } from '../text-encoder.js';
import type { ClassPlan } from './class-answers.js';

/** Rows that explain the answer to one text. */
const NEAREST = 3;

/** The kept training rows of a model, read when they are first asked for. */
export interface LazyRows {
  readonly byteSize: number;
  /** Null where they are of another release. @throws ArtifactError */
  read(): KeptRows | null;
}

/** @returns null where the model has no classifier, or keeps no rows */
export function keptRowsOf(
  directory: string,
  classifier: HeadState | undefined,
  encoder: TextEncoder | null,
): LazyRows | null {
  const byteSize = sizeOfKeptRows(directory);
  if (classifier === undefined || byteSize === 0) return null;
  let rows: KeptRows | null | undefined;
  const load = () => {
    const tensors = readKeptRows(directory);
    return tensors && new KeptRows(tensors, classifier, encoder);
  };
  return { byteSize, read: () => (rows === undefined ? (rows = load()) : rows) };
}

interface ExplanationPlan {
  readonly warnings: readonly InferWarning[];
  answer(text: string): Pick<InferResult, 'nearest'>;
}

/** Explains classes of the trained classifier; where there are none to explain, a warning says why. */
export function planExplanation(
  { datasets }: ExplainRequest,
  classPlans: readonly ClassPlan[],
  lazyRows: LazyRows | null,
): ExplanationPlan {
  const none = (message: string): ExplanationPlan => ({
    warnings: [{ code: 'explanation_unavailable', message }],
    answer: () => ({}),
  });
  if (!classPlans.some(({ isTrained }) => isTrained))
    return none('Only classes that the model was trained on are explained, and the answer has none.');
  const rows = lazyRows && readable(lazyRows);
  if (rows === null)
    return none(
      'The model keeps no vectors of its training rows that can be read. Train it again to have its answers explained.',
    );
  const allowed = new Set(datasets);
  return { warnings: [], answer: (text) => ({ nearest: rows.nearest(text, NEAREST, allowed) }) };
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
