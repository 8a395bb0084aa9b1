import { exampleOf } from '#dataset-formats/examples.js';
import type { JsonObject } from '#domain/json.js';
import type { DatasetPin } from '#domain/training-job/index.js';
import type { Example } from '../engine/engine.js';
import { readRows } from './folders.js';
import type { AttemptObjects } from './patient-objects.js';

/**
 * The rows of pinned dataset versions, one after another, as an engine reads them. Rows that are labelled for no head of
 * an encoder are left out.
 * @throws DamagedObjectError when a version's object is gone or is not the one pinned
 */
export async function readExamples(store: AttemptObjects, datasets: readonly DatasetPin[]): Promise<Example[]> {
  const examples: Example[] = [];
  for (const dataset of datasets)
    await readRows(store, dataset, async (content) => {
      for await (const line of linesOf(content)) {
        const row = JSON.parse(line) as JsonObject;
        const example = exampleOf(row);
        if (example && isLabelled(example)) examples.push(example);
      }
    });
  return examples;
}

const isLabelled = ({ entities, labels, structures, relations }: Example): boolean =>
  [entities, labels, structures, relations].some((each) => each !== undefined);

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
