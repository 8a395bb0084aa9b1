import type { GenerationEvent, TokenUsage } from '#hosted-models/port.js';
import type { Produced } from './produced.js';

/** An answer that has begun: its first events are there, and its opening is on the log. */
export interface AnswerStream {
  readonly inferenceId: string;
  /**
   * To be drawn once, to the end. The last batch, which finishes the choices, comes when the call's end is on the log, with its
   * usage in the batch before. Leaving a loop early is `leave()`.
   * @throws DomainError when it fails on its way; that is recorded
   */
  readonly events: AsyncIterable<readonly GenerationEvent[]>;
  /** Of what has come so far: at first, of the first batch. */
  readonly produced: Produced;
  readonly usage: TokenUsage;
  /** 0 until its end. */
  readonly latencyMs: number;
  /**
   * Ends it, where it has not ended, whether or not anything was drawn: to be called by everybody who has started one. It is
   * recorded as cancelled, and billed what was produced; or, where `error` kept it from being answered, as that, and free.
   */
  leave(error?: unknown): Promise<void>;
}

/** Draws an answer to its end, for those who answer at once. @throws DomainError */
export async function whole(answer: AnswerStream): Promise<AnswerStream> {
  for await (const _ of answer.events);
  return answer;
}
