import type { JsonObject } from '#domain/json.js';
import type { Message } from '#calls/hosted/port.js';
import type { CalledTools } from './called-tools.js';
import type { CompatibleRequest } from '../shared/request.js';

/** A checked body of `POST /v1/responses`. `Replay` completes its `generation`. */
export interface ResponsesRequest extends CompatibleRequest {
  readonly instructions: string | null;
  /** `resp_...`: the turn that this one continues. */
  readonly previousResponseId: string | null;
  readonly input: readonly InputEntry[];
  /** The inputs of the turns that this one continues, from the first. */
  readonly earlierInputs: readonly unknown[];
  readonly called: CalledTools;
  /** The body as it was sent. */
  readonly body: JsonObject;
}

/** An item of the input, or the name of one that an earlier answer has. */
export type InputEntry = Message | ItemReference;

export interface ItemReference {
  /** `msg_...`, `rs_...` or `fc_...`. */
  readonly reference: string;
  /** Index of the item in `input`. */
  readonly index: number;
}
