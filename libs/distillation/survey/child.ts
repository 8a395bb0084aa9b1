// The process that finds tasks in recorded calls, or makes rows of them, which it is given as lines of JSON. Started by `surveys.ts`, one for each.
import { askParent, takeJob, tellParent } from '#primitives/confined-process/child.js';
import { fromBase64 } from '#primitives/vectors.js';
import { LineSplitter } from '#rows/formats/read/line-splitter.js';
import { chatsOf } from '../chats.js';
import { promptOf } from '../prompt.js';
import { rowsOf } from '../rows.js';
import type { TextVectors } from '../copies/copies.js';
import type { PromptMessage, RowsMessage, SurveyJob, SurveyMessage, VectorsAnswer } from './protocol.js';
import { surveyOf, type SurveyedCall } from './survey.js';

/** Texts of a question, and their characters. */
const MAX_TEXTS = 256;
const MAX_CHARACTERS = 50_000;

const { order, wanted } = await takeJob<SurveyJob>();
const splitter = new LineSplitter();
const calls: SurveyedCall[] = [];
for await (const chunk of process.stdin)
  for (const line of splitter.push(chunk as Buffer)) calls.push(JSON.parse(line.toString()) as SurveyedCall);
if (order && wanted === 'prompt') await tellParent<PromptMessage>({ prompt: promptOf(calls, order) });
else if (order?.taskType === 'decoder') await tellParent<RowsMessage>({ rows: chatsOf(calls, order) });
else if (order) await tellParent<RowsMessage>({ rows: await rowsOf(calls, order, vectorsOf) });
else await tellParent<SurveyMessage>({ survey: surveyOf(calls) });
process.exit(0);

/** A few texts at a time, so that no question takes long. */
async function vectorsOf(texts: readonly string[]): Promise<TextVectors> {
  const vectors: (Float32Array | null)[] = [];
  let least = 1;
  for (const batch of batchesOf(texts)) {
    const answer = await askParent<VectorsAnswer>({ ask: { texts: batch, all: texts.length } } satisfies RowsMessage);
    vectors.push(...answer.vectors.map((each) => (each === null ? null : fromBase64(each))));
    least = answer.least;
  }
  return { vectors, least };
}

function batchesOf(texts: readonly string[]): readonly (readonly string[])[] {
  const batches: string[][] = [];
  let left = 0;
  for (const text of texts) {
    if ((left -= text.length) < 0 || batches.at(-1)!.length === MAX_TEXTS) {
      batches.push([]);
      left = MAX_CHARACTERS - text.length;
    }
    batches.at(-1)!.push(text);
  }
  return batches;
}
