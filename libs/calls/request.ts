import type { Caller } from '#application/caller.js';
import type { CallMetered } from '#domain/inference/index.js';
import type { JsonObject } from '#domain/json.js';

/** What every dialect says of a call, whatever is asked of which kind of model. */
export interface CallRequest {
  readonly caller: Caller;
  /** Of the request, or of the job, that the call belongs to. */
  readonly correlationId: string;
  /** Of the route. */
  readonly format: CallMetered['data']['format'];
  readonly projectId: string | null;
  /** False: nothing of the content is kept. */
  readonly store: boolean;
  /** What the history shows as input: the caller's own words for what was asked. */
  readonly input: () => JsonObject;
  /** When the request came, by `performance.now`: latency counts from here. Absent: from when the call was admitted. */
  readonly start?: number;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}
