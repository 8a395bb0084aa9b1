// The process that computes a report on a dataset version, or the difference of two. Started by `version-reports.ts`,
// one for each.
import { LineSplitter } from '../formats/read/line-splitter.js';
import type { JsonObject } from '#domain/json.js';
import { takeJob, tellParent } from '#primitives/confined-process/child.js';
import type { RowsJob, RowsMessage } from './protocol.js';
import { RowSearch } from './row-search.js';
import { ReportTally } from './report-tally.js';
import { DiffTally } from './version-diff.js';

const { makes, datasetType, other, search } = await takeJob<RowsJob>();
const { add, addOther, made } = makes === 'search' ? searched() : makes === 'diff' ? diff() : report();
const splitter = new LineSplitter();
let before = other?.rows ?? 0;
for await (const chunk of process.stdin)
  for (const line of splitter.push(chunk as Buffer)) {
    const row = JSON.parse(line.toString()) as JsonObject;
    if (before > 0) addOther(row);
    else add(row);
    before -= 1;
  }
await tellParent<RowsMessage>({ made: made() });
process.exit(0);

function searched() {
  const rows = new RowSearch(datasetType, search!);
  return { add: (row: JsonObject) => rows.add(row), addOther: () => undefined, made: () => rows.found() };
}

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
