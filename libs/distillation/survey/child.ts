// The process that finds tasks in recorded calls, which it is given as lines of JSON. Started by `surveys.ts`, one for each.
import { takeJob, tellParent } from '#primitives/confined-process/child.js';
import { LineSplitter } from '#rows/formats/read/line-splitter.js';
import type { SurveyMessage } from './protocol.js';
import { surveyOf, type SurveyedCall } from './survey.js';

await takeJob();
const splitter = new LineSplitter();
const calls: SurveyedCall[] = [];
for await (const chunk of process.stdin)
  for (const line of splitter.push(chunk as Buffer)) calls.push(JSON.parse(line.toString()) as SurveyedCall);
await tellParent<SurveyMessage>({ survey: surveyOf(calls) });
process.exit(0);
