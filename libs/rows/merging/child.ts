// The process that merges feedback into the rows of a version. Started by `merges.ts`, one for each.
import { once } from 'node:events';
import { Socket } from 'node:net';
import { linesOf } from '../formats/read/line-splitter.js';
import type { JsonObject } from '#domain/json.js';
import { takeJob, tellParent } from '#primitives/confined-process/child.js';
import { PIPES } from '#primitives/confined-process/index.js';
import { FeedbackMerge } from './feedback-merge.js';
import type { FeedbackRow, MergeJob, MergeMessage, MergedSource, SourcesAnswer } from './protocol.js';

/** Rows whose calls are requested together. */
const BATCH = 100;

const tell = (message: MergeMessage): Promise<void> => tellParent(message);

const job = await takeJob<MergeJob>();
const output = new Socket({ fd: PIPES.output });
const rows = rowsOf(process.stdin);
const corrections = (await taken(job.corrections)) as unknown as readonly FeedbackRow[];
const heldOut = new Set((await taken(job.heldOut)).map(({ text }) => text as string));
const merge = new FeedbackMerge(job, corrections, heldOut);
let batch: JsonObject[] = [];
for await (const row of rows) {
  if (batch.push(row) === BATCH) await write();
}
await write();
for (const row of merge.rest()) await writeRow(row);
await new Promise<void>((resolve) => output.end(resolve));
const { counts, conflicting, datasetType } = merge;
await tell({ kind: 'merged', counts, conflicting, datasetType });
process.exit(0);

async function* rowsOf(input: AsyncIterable<Buffer>): AsyncGenerator<JsonObject> {
  for await (const line of linesOf(input)) yield JSON.parse(line.toString()) as JsonObject;
}

async function taken(count: number): Promise<readonly JsonObject[]> {
  const first: JsonObject[] = [];
  while (first.length < count) {
    const next = await rows.next();
    if (next.done) throw new Error('the input ended before its rows');
    first.push(next.value);
  }
  return first;
}

async function write(): Promise<void> {
  const ids = batch.map((row) => merge.sourceOf(row));
  const sources = await known([...new Set(ids.filter((id) => id !== null))]);
  for (const [at, row] of batch.entries()) {
    const merged = merge.merged(row, sources.get(ids[at] ?? '') ?? null);
    if (merged) await writeRow(merged);
  }
  batch = [];
}

async function known(ids: readonly string[]): Promise<ReadonlyMap<string, MergedSource>> {
  if (ids.length === 0) return new Map();
  const answered = once(process, 'message') as Promise<[SourcesAnswer]>;
  await tell({ kind: 'sources', ids });
  return new Map((await answered)[0]);
}

async function writeRow(row: JsonObject): Promise<void> {
  if (!output.write(`${JSON.stringify(row)}\n`)) await once(output, 'drain');
}
