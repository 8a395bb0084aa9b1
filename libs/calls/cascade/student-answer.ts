import { randomUUID } from 'node:crypto';
import type { CanonicalAnswer } from '#distillation/calls/answers.js';
import type { Unlike } from '#gpu-runner/contract/schema.js';
import type { ServedBy } from '#domain/inference/index.js';
import { NO_USAGE, type GenerationEvent } from '../hosted/port.js';

/** The answer of a student, written as its teacher would write it. */
export interface StudentAnswer {
  readonly answer: CanonicalAnswer;
  /** Probability that it is right as a whole, 0 to 1. */
  readonly certainty: number;
  /** What makes the text unlike those that it learned; null: nothing. */
  readonly unlike: Unlike | null;
  readonly inputTokens: number;
  readonly servedBy: ServedBy | null;
}

/** The events of an answer, as a model that generates would send them. */
export async function* eventsOf({
  answer: { tool, text },
  inputTokens,
  servedBy,
}: StudentAnswer): AsyncGenerator<readonly GenerationEvent[]> {
  const said: readonly GenerationEvent[] =
    tool === null
      ? [{ type: 'text', part: 0, text }]
      : [
          { type: 'tool-call', part: 0, id: `call_${randomUUID().replaceAll('-', '')}`, name: tool },
          { type: 'tool-input', part: 0, json: text },
        ];
  yield [...said, { type: 'usage', usage: { ...NO_USAGE, inputTokens }, ...(servedBy && { servedBy }) }];
  yield [{ type: 'finish', reason: tool === null ? 'stop' : 'tool_calls' }];
}
