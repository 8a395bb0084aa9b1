import type { ClassificationQuery, EntityQuery, RelationQuery, StructureQuery } from '#gpu-runner/contract/schema.js';
import type { GenerationRequest } from './hosted/port.js';

/** A validated native request: with `messages` it is a decoder's. */
export type NativeRequest = EncoderRequest | DecoderRequest;

interface CommonRequest {
  readonly modelId: string;
  readonly store: boolean;
  readonly projectId: string | null;
  /** Loads the model without running it. */
  readonly isWarmup: boolean;
}

export interface EncoderRequest extends CommonRequest {
  readonly kind: 'encoder';
  readonly texts: readonly string[];
  /** Whether `text` was an array; `result` then is one too. */
  readonly batch: boolean;
  readonly schema: RequestedSchema | null;
  /** null: each head's own. */
  readonly threshold: number | null;
  readonly includeConfidence: boolean;
  readonly includeSpans: boolean;
  /** Whether the nearest training rows are requested. */
  readonly explain: boolean;
}

export interface DecoderRequest extends CommonRequest {
  readonly kind: 'decoder';
  readonly generation: GenerationRequest;
}

export interface RequestedSchema {
  readonly entities: readonly RequestedEntity[] | null;
  readonly classifications: readonly ClassificationQuery[] | null;
  readonly structures: readonly StructureQuery[] | null;
  readonly relations: readonly RelationQuery[] | null;
  /** False: entities may overlap. Default: true. */
  readonly flatNer?: boolean;
}

export interface RequestedEntity extends EntityQuery {
  /** `str`: at most one hit, the most confident. */
  readonly dtype?: 'str' | 'list';
}

/** The heads of a schema, as requests and results name them. */
export const REQUEST_HEADS = ['entities', 'classifications', 'structures', 'relations'] as const;
