import { hash } from 'node:crypto';
import type { CallContent, CallContentObject } from '#domain/inference/index.js';
import { isRecord, type Json, type JsonObject } from '#domain/json.js';

/**
 * A hash of an answer, the same for equal answers regardless of confidences, thoughts, ids of tool calls, and the order
 * of lists. For large answers, a hash of the beginning that lists show.
 */
export function saidIn(content: CallContent['data']['content']): string {
  const isStoredElsewhere = typeof content['objectKey'] === 'string';
  const output = isStoredElsewhere ? (content as CallContentObject).summary.output : content.output;
  return hash('sha1', JSON.stringify(plain(output ?? null)));
}

function plain(value: Json): Json {
  if (Array.isArray(value)) return plainList(value as readonly Json[]);
  if (!isRecord(value)) return value;
  const members = Object.entries(value).filter(([name, member]) => isSaid(name, member, value));
  return members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, plain(member ?? null)]);
}

/** `[label, confidence]` is the label. */
function plainList(list: readonly Json[]): Json {
  if (list.length === 2 && typeof list[0] === 'string' && typeof list[1] === 'number') return list[0];
  const items = list.filter((item) => !isRecord(item) || !THOUGHTS.has(item['type'] ?? null)).map(plain);
  const texts = items.map((item) => [JSON.stringify(item), item] as const);
  return texts.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}

const THOUGHTS: ReadonlySet<Json> = new Set(['thinking', 'redacted_thinking', 'reasoning']);
const OF_THOUGHTS: ReadonlySet<string> = new Set(['reasoning_content', 'thinking_blocks']);

function isSaid(name: string, value: Json | undefined, of: JsonObject): boolean {
  if (name === 'confidence') return typeof value !== 'number';
  if (name === 'id') return !isRecord(of['function']) && of['type'] !== 'tool_use';
  return !OF_THOUGHTS.has(name);
}
