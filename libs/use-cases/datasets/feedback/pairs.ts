import type { Json, JsonObject } from '#domain/json.js';
import type { FeedbackRow } from '#rows/merging/index.js';
import { isRecord } from '#primitives/values.js';
import type { JudgedText } from './rows.js';

/** A question to a decoder with the corrected answer and its own. */
interface Pair {
  readonly prompt: Json;
  readonly system?: Json;
  readonly chosen: string;
  readonly rejected: string;
}

/** Recorded parts of an answer that nobody is told. */
const THOUGHTS = ['thinking', 'redacted_thinking', 'reasoning'];

/**
 * The pair of a corrected call; of several choices, that of the first one that the correction changes.
 * @returns null for a call without messages, and for an answer that is no text or stays as it was
 */
export function pairOf(input: Json, output: Json, corrected: Json): Pair | null {
  const asked = isRecord(input) ? promptOf(input) : null;
  if (asked === null) return null;
  const isOfChoices = Array.isArray(output) && Array.isArray(corrected);
  const answers = isOfChoices
    ? (output as readonly Json[]).map((each, at) => [each, (corrected as readonly Json[])[at] ?? null] as const)
    : [[output, corrected] as const];
  for (const [own, right] of answers) {
    const [rejected, chosen] = [textOf(own), textOf(right)];
    if (rejected !== null && chosen !== null && chosen !== rejected) return { ...asked, chosen, rejected };
  }
  return null;
}

/** The messages of a request in the form of its dialect. */
function promptOf({ messages, system, input, instructions }: JsonObject): Pick<Pair, 'prompt' | 'system'> | null {
  if (Array.isArray(messages)) return { prompt: messages, ...((system ?? null) !== null && { system: system! }) };
  if (typeof input !== 'string' && !(Array.isArray(input) && input.every((item) => isRecord(item) && item['role'])))
    return null;
  return { prompt: input, ...((instructions ?? null) !== null && { system: instructions! }) };
}

/** The text of an answer, in the form of its dialect; null if it has other parts, such as calls of tools. */
function textOf(answer: Json | undefined): string | null {
  if (typeof answer === 'string') return answer;
  if (Array.isArray(answer)) {
    const parts = (answer as readonly Json[]).filter(
      (part) => !(isRecord(part) && THOUGHTS.includes(part['type'] as string)),
    );
    const texts = parts.map((part) => textOf(part));
    return texts.length > 0 && texts.every((text) => text !== null) ? texts.join('') : null;
  }
  if (!isRecord(answer)) return null;
  const { text, completion, content, output, tool_calls: calls } = answer;
  return Array.isArray(calls) && calls.length > 0 ? null : textOf(text ?? completion ?? content ?? output);
}

/** Pairs of judged calls: rows that are chosen among several verdicts on one prompt as those of encoders are. */
export class Pairs {
  private readonly found = new Map<string, Pair>();

  /** Keeps the pair of a call for its row. */
  judged(pair: Pair, inferenceId: string, at: string): JudgedText {
    this.found.set(`${inferenceId} ${at}`, pair);
    const { prompt, system = null, chosen } = pair;
    return { text: JSON.stringify([system, prompt]), answer: { completion: chosen }, inferenceId, at };
  }

  row({ source_inference_id, at }: FeedbackRow): JsonObject {
    return { ...this.found.get(`${source_inference_id} ${at}`)!, source_inference_id };
  }
}
