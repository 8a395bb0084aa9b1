import { ArtifactError, type EntityHit } from '../../engine.js';
import type { Steps } from '../../steps.js';
import { loadEntityHead, partOfState, tagInSteps, type BaseTagger } from '../entities/index.js';
import type { HeadState } from '../head.js';
import type { TextEncoder } from '../text-encoder.js';
import { fieldsOf, shapesIn, type Shape } from './fields.js';
import { TAGGER } from './trainer.js';

/** A value found for a field. */
export interface FoundValue {
  readonly structure: string;
  readonly field: string;
  readonly start: number;
  readonly hit: EntityHit;
}

interface FoundValues {
  /** In text order. */
  readonly values: readonly FoundValue[];
  readonly inputTokens: number;
  readonly truncated: boolean;
}

/** A trained finder of the values that fields of structures have. */
export interface StructureHead {
  readonly shapes: readonly Shape[];
  /** Confidence from which a value counts if no threshold is given. */
  readonly decisionPoint: number;
  /** Bytes of its tensors. */
  readonly byteSize: number;
  /** @param threshold 0 to 1: a value's confidence is at least this */
  find(text: string, threshold: number): Steps<FoundValues>;
}

/** @throws ArtifactError when the state is of another feature version or lacks a part */
export function loadStructureHead(state: HeadState, base: BaseTagger, encoder: TextEncoder | null): StructureHead {
  const tagging = partOfState(state, TAGGER);
  if (tagging === null) throw new ArtifactError('The structure head of the artifact has no tagger.');
  const { tagger, byteSize } = loadEntityHead(tagging, base, encoder);
  const fields = new Map(tagger.labels.map((label) => [label, fieldsOf(label)]));
  return {
    shapes: shapesIn(state.config),
    decisionPoint: tagger.decisionPoint,
    byteSize,
    *find(text, threshold) {
      const { hits, inputTokens, truncated } = yield* tagInSteps(text, [{ tagger, threshold }]);
      const values = hits[0]!.flatMap((hit) =>
        fields.get(hit.label)!.map((field): FoundValue => ({ ...field, start: hit.start, hit })),
      );
      return { values, inputTokens, truncated };
    },
  };
}
