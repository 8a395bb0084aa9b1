import type { Caller } from '#application/caller.js';
import type { CallAsRow, CallMetered, CascadeFacts } from '#domain/inference/index.js';
import type { Json, JsonObject } from '#domain/json.js';

/** The part of a call that every dialect and every kind of model has. */
export interface CallRequest {
  readonly caller: Caller;
  /** Id of the request or job that the call belongs to. */
  readonly correlationId: string;
  /** The API format of the route. */
  readonly format: CallMetered['data']['format'];
  readonly projectId: string | null;
  /** Whether content is kept. */
  readonly store: boolean;
  /** The input shown in the history: the caller's own words. */
  readonly input: () => JsonObject;
  /** Arrival of the request by `performance.now`, from which latency counts. Default: when the call was admitted. */
  readonly start?: number;
  /** Aborts when the client has disconnected. */
  readonly signal?: AbortSignal | undefined;
  /** The answered call that this one repeats on another version; absent for a call of a caller. */
  readonly shadowOf?: string;
  /** Of a call of a distilled version: who answers and why, with the output once it is there; null if it never came. */
  readonly cascade?: (output: Json) => CascadeFacts;
  /** Of the same: the call as a row, with the output; null for one that is not to the version's task. */
  readonly asRow?: (output: Json) => CallAsRow | null;
  /** Called once the answer is on the log, for a call that a shadow repeats. */
  readonly onAnswered?: (inferenceId: string) => void;
  /** Its answer is compared with that of its model's shadow. */
  readonly isShadowed?: true;
}
