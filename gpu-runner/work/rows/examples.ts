import { exampleOf } from '#rows/formats/examples.js';
import type { JsonObject } from '#domain/json.js';
import type { DatasetPin } from '#domain/training-job/index.js';
import type { Example, RowSource } from '#gpu-runner/engines/engine.js';
import { readRows } from '../folders.js';
import type { AttemptObjects } from '../patient-objects.js';

/**
 * The rows of pinned dataset versions, one after another, as an engine reads them. Rows that are labelled for no head
 * of an encoder are left out.
 * @param located its `sources` are filled with the place of each row; `first` is the index of the first dataset
 * @throws DamagedObjectError when a version's object is missing or is not the pinned one
 */
export async function readExamples(
  store: AttemptObjects,
  datasets: readonly DatasetPin[],
  located?: { readonly sources: Map<Example, RowSource>; readonly first: number },
): Promise<Example[]> {
  const examples: Example[] = [];
  for (const [dataset, pin] of datasets.entries())
    await readRows(store, pin, async (content) => {
      let row = 0;
      let start = 0;
      for await (const line of linesOf(content)) {
        const bytes = Buffer.byteLength(line);
        if (line !== '') {
          const example = exampleOf(JSON.parse(line) as JsonObject);
          if (example && isLabelled(example)) {
            examples.push(example);
            located?.sources.set(example, { dataset: located.first + dataset, row, start, bytes });
          }
          row += 1;
        }
        start += bytes + 1;
      }
    });
  return examples;
}

const isLabelled = ({ entities, labels, tasks, structures, relations }: Example): boolean =>
  [entities, labels, tasks, structures, relations].some((each) => each !== undefined);

/** The rows of a stored version. */
export async function* jsonLines(content: AsyncIterable<Uint8Array>): AsyncIterable<JsonObject> {
  for await (const line of linesOf(content)) if (line !== '') yield JSON.parse(line) as JsonObject;
}

/** The last one is empty if the content ends with a line break. */
async function* linesOf(content: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  for await (const chunk of content) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
}
