import { exampleOf } from '#dataset-formats/examples.js';
import type { JsonObject } from '#domain/json.js';
import type { DatasetPin } from '#domain/training-job/index.js';
import type { Example } from '../engine/engine.js';
import { openVerified } from './folders.js';
import type { AttemptObjects } from './patient-objects.js';

/**
 * The rows of pinned dataset versions, one after another, as an engine reads them. Rows that are labelled for no head of
 * an encoder are left out.
 * @throws DamagedObjectError when a version's object is gone or is not the one pinned
 */
export async function readExamples(store: AttemptObjects, datasets: readonly DatasetPin[]): Promise<Example[]> {
  const examples: Example[] = [];
  for (const { object } of datasets)
    for await (const line of linesOf(await openVerified(store, object.key, object.sha256))) {
      const example = exampleOf(JSON.parse(line) as JsonObject);
      if (example && (example.entities || example.labels)) examples.push(example);
    }
  return examples;
}

async function* linesOf(content: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  for await (const chunk of content) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield line;
  }
  if (rest !== '') yield rest;
}
