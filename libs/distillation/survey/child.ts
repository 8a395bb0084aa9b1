// The process that finds tasks in recorded calls, or makes rows of them, which it is given as lines of JSON. Started by `surveys.ts`, one for each.
import { takeJob, tellParent } from '#primitives/confined-process/child.js';
import { LineSplitter } from '#rows/formats/read/line-splitter.js';
import { rowsOf } from '../rows.js';
import type { RowsMessage, SurveyJob, SurveyMessage } from './protocol.js';
import { surveyOf, type SurveyedCall } from './survey.js';

const { order } = await takeJob<SurveyJob>();
const splitter = new LineSplitter();
const calls: SurveyedCall[] = [];
for await (const chunk of process.stdin)
  for (const line of splitter.push(chunk as Buffer)) calls.push(JSON.parse(line.toString()) as SurveyedCall);
if (order) await tellParent<RowsMessage>({ rows: rowsOf(calls, order) });
else await tellParent<SurveyMessage>({ survey: surveyOf(calls) });
process.exit(0);
