// The process that computes the training reference of drift from stored rows. Started by `training-references.ts`, one
// for each.
import { LineSplitter } from '../formats/read/line-splitter.js';
import { ReferenceTally } from '#domain/drift/index.js';
import type { JsonObject } from '#domain/json.js';
import { takeJob, tellParent } from '#primitives/confined-process/child.js';
import type { ReferenceMessage } from './protocol.js';
import { labelledRow } from './rows.js';

await takeJob();
const tally = new ReferenceTally();
let rows = 0;
const splitter = new LineSplitter();
for await (const chunk of process.stdin)
  for (const line of splitter.push(chunk as Buffer)) {
    const row = labelledRow(JSON.parse(line.toString()) as JsonObject);
    rows += 1;
    if (row) tally.add(row.text, row.labels);
  }
await tellParent<ReferenceMessage>({ reference: tally.reference(), rows });
process.exit(0);
