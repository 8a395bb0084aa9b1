import type { JsonObject } from '#domain/json.js';
import { ObjectNotFoundError, type ObjectStore } from '#object-store/port.js';

/** Lines of a JSONL object from one on, read no further than needed. An object that is gone has none. */
export async function readPredictions(
  store: ObjectStore,
  objectKey: string,
  offset: number,
  limit: number,
): Promise<readonly JsonObject[]> {
  const lines: JsonObject[] = [];
  if (limit === 0) return lines;
  let number = 0;
  try {
    for await (const line of linesOf(await store.get(objectKey))) {
      if (number >= offset) lines.push(JSON.parse(line) as JsonObject);
      number += 1;
      if (lines.length === limit) break;
    }
  } catch (error) {
    if (!(error instanceof ObjectNotFoundError)) throw error;
  }
  return lines;
}

async function* linesOf(content: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of content) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield line;
  }
  if (rest !== '') yield rest;
}
