import type { ClassificationQuery, EntityQuery } from '#gpu-runner/engine/engine.js';

/** A native encoder request, checked. */
export interface NativeRequest {
  readonly modelId: string;
  readonly texts: readonly string[];
  /** Whether `text` was an array: then `result` is one too. */
  readonly batch: boolean;
  readonly schema: RequestedSchema | null;
  readonly threshold: number;
  readonly store: boolean;
  readonly projectId: string | null;
  readonly includeConfidence: boolean;
  readonly includeSpans: boolean;
  /** Loads the model and runs nothing. */
  readonly isWarmup: boolean;
}

export interface RequestedSchema {
  readonly entities: readonly RequestedEntity[] | null;
  readonly classifications: readonly ClassificationQuery[] | null;
  /** Names of the structures and relations asked for, in full shape checked. */
  readonly structures: readonly string[] | null;
  readonly relations: readonly string[] | null;
}

export interface RequestedEntity extends EntityQuery {
  /** `str`: at most one hit, the most confident. */
  readonly dtype?: 'str' | 'list';
}
