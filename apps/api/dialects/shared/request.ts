import type { GenerationRequest } from '#calls/hosted/port.js';
import type { RequestedSchema } from '#calls/encoder-request.js';
import type { FieldNames } from '#calls/field-names.js';

/** A checked request of a compatible route, common to all dialects. */
export interface CompatibleRequest {
  readonly modelId: string;
  readonly stream: boolean;
  readonly store: boolean;
  readonly projectId: string | null;
  /** The request for a decoder. */
  readonly generation: GenerationRequest;
  /** The options in case the model is an encoder. */
  readonly encoder: EncoderOptions;
  /** Field names that differ from chat completions, for errors. */
  readonly names?: FieldNames;
}

/** The extensions of the body for encoders. */
interface EncoderOptions {
  /** The encoder fields that the body has. */
  readonly asked: readonly string[];
  readonly schema: RequestedSchema | null;
  readonly threshold: number | null;
  readonly includeConfidence: boolean;
  readonly includeSpans: boolean;
}
