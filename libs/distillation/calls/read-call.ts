import type { CanonicalAnswer } from './answers.js';
import type { CanonicalRequest, RecordedCall } from './canonical.js';

/** A call as it was understood. */
export interface ReadCall {
  readonly call: RecordedCall;
  readonly request: CanonicalRequest;
  readonly answer: CanonicalAnswer;
}
