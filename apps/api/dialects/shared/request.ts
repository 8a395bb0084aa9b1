import type { GenerationRequest } from '#hosted-models/port.js';
import type { RequestedSchema } from '#calls/encoder-request.js';
import type { FieldNames } from '#calls/field-names.js';

/** A checked request of a compatible route: what all dialects decode into. */
export interface CompatibleRequest {
  readonly modelId: string;
  readonly stream: boolean;
  readonly store: boolean;
  readonly projectId: string | null;
  /** What a decoder is asked. */
  readonly generation: GenerationRequest;
  /** How an encoder is asked, should the model be one. */
  readonly encoder: EncoderOptions;
  /** What the dialect calls otherwise than chat completions do: for errors. */
  readonly names?: FieldNames;
}

/** The extensions of the body for encoders. */
export interface EncoderOptions {
  /** Which of them the body has. */
  readonly asked: readonly string[];
  readonly schema: RequestedSchema | null;
  readonly threshold: number;
  readonly includeConfidence: boolean;
  readonly includeSpans: boolean;
}
