import { Collected, type AnswerStream } from '#calls/index.js';
import type { JsonObject } from '#domain/json.js';
import { NO_USAGE, type GenerationEvent } from '#calls/hosted/port.js';
import type { EncoderAnswer } from '#calls/backends/runner/encoders.js';

/**
 * An encoder's result as an answer of one text: the result object as JSON. It is on the log already.
 * @param dropped hints of the request
 */
export function encoderStream(answer: EncoderAnswer, dropped: readonly string[]): AnswerStream {
  const produced = new Collected();
  const usage = { ...NO_USAGE, inputTokens: answer.inputTokens };
  const text: GenerationEvent = { type: 'text', part: 0, text: JSON.stringify(answer.result) };
  const batches: readonly (readonly GenerationEvent[])[] = [
    [text, { type: 'usage', usage }],
    [{ type: 'finish', reason: 'stop' }],
  ];
  async function* events() {
    for (const batch of batches) {
      for (const event of batch) produced.add(event);
      yield batch;
    }
  }
  const { inferenceId, latencyMs } = answer;
  return { inferenceId, latencyMs, usage, dropped, produced, events: events(), leave: () => Promise.resolve() };
}

/** Warnings and truncation of an encoder's answer as extension fields of a dialect; empty if there are none. */
export const notesOf = ({ warnings, truncated }: EncoderAnswer): JsonObject => ({
  ...(warnings.length > 0 && { warnings: warnings.map(({ code, message }) => ({ code, message })) }),
  ...(truncated && { truncated }),
});
