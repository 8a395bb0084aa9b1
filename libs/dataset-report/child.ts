// The process that makes a report on a dataset version. Started by `version-reports.ts`, one for each.
import { once } from 'node:events';
import { LineSplitter } from '#dataset-formats/read/line-splitter.js';
import type { JsonObject } from '#domain/json.js';
import type { ReportJob, ReportMessage } from './protocol.js';
import { ReportTally } from './report-tally.js';

// The parent is gone.
process.once('disconnect', () => process.exit(1));

const [{ datasetType, heldOut }] = (await once(process, 'message')) as [ReportJob];
const tally = new ReportTally(datasetType);
const splitter = new LineSplitter();
let before = heldOut?.rows ?? 0;
for await (const chunk of process.stdin)
  for (const line of splitter.push(chunk as Buffer)) {
    const row = JSON.parse(line.toString()) as JsonObject;
    if (before > 0) tally.addHeldOut(row, heldOut!.datasetType);
    else tally.add(row);
    before -= 1;
  }
await send({ report: tally.report(heldOut !== null) });
process.exit(0);

function send(message: ReportMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, undefined, {}, (error) => (error ? reject(error) : resolve()));
  });
}
