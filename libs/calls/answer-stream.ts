import type { GenerationEvent, TokenUsage } from './hosted/port.js';
import type { Produced } from './produced.js';

/** An answer that has begun: its first events have arrived, and its opening is on the log. */
export interface AnswerStream {
  readonly inferenceId: string;
  /**
   * Iterate once, to the end. The last batch, which finishes the choices, is yielded once the call's end is on the log;
   * the batch before it has the usage. `leave()` ends early.
   * @throws DomainError when the call fails on its way; the failure is recorded
   */
  readonly events: AsyncIterable<readonly GenerationEvent[]>;
  /** The answer so far: at first, the first batch. */
  readonly produced: Produced;
  readonly usage: TokenUsage;
  /** Hints of the request that the model was not given, by the names of the caller's dialect. */
  readonly dropped: readonly string[];
  /** 0 until its end. */
  readonly latencyMs: number;
  /**
   * Ends the answer if it has not ended, whether or not anything was read: everyone who starts one must call it. It is
   * recorded as cancelled, and the output so far is billed; if `error` prevented the answer, it is recorded with that
   * error, and free.
   */
  leave(error?: unknown): Promise<void>;
}

/** Reads an answer to its end, for callers that do not stream. @throws DomainError */
export async function whole(answer: AnswerStream): Promise<AnswerStream> {
  for await (const _ of answer.events);
  return answer;
}
