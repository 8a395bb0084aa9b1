// The process that makes a report on a dataset version, or the difference of two. Started by `version-reports.ts`, one for each.
import { once } from 'node:events';
import { LineSplitter } from '#dataset-formats/read/line-splitter.js';
import type { JsonObject } from '#domain/json.js';
import type { RowsJob, RowsMessage } from './protocol.js';
import { ReportTally } from './report-tally.js';
import { DiffTally } from './version-diff.js';

// The parent is gone.
process.once('disconnect', () => process.exit(1));

const [{ makes, datasetType, other }] = (await once(process, 'message')) as [RowsJob];
const { add, addOther, made } = makes === 'diff' ? diff() : report();
const splitter = new LineSplitter();
let before = other?.rows ?? 0;
for await (const chunk of process.stdin)
  for (const line of splitter.push(chunk as Buffer)) {
    const row = JSON.parse(line.toString()) as JsonObject;
    if (before > 0) addOther(row);
    else add(row);
    before -= 1;
  }
await send({ made: made() });
process.exit(0);

function report() {
  const tally = new ReportTally(datasetType);
  return {
    add: (row: JsonObject) => tally.add(row),
    addOther: (row: JsonObject) => tally.addHeldOut(row, other!.datasetType),
    made: () => tally.report(other !== null),
  };
}

function diff() {
  const tally = new DiffTally();
  return {
    add: (row: JsonObject) => tally.addTo(row, datasetType),
    addOther: (row: JsonObject) => tally.addFrom(row, other!.datasetType),
    made: () => tally.diff(),
  };
}

function send(message: RowsMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, undefined, {}, (error) => (error ? reject(error) : resolve()));
  });
}
