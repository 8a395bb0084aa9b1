import { Actors } from './actors.js';
import { Calls } from './calls.js';
import { ExplainCallHandler } from './explain-call.js';
import { ExportLineageHandler } from './export-lineage.js';
import { FollowDatasetHandler } from './follow-dataset.js';
import { FollowRowHandler } from './follow-row.js';
import { FollowedRows } from './followed-rows.js';
import { LearnedFrom } from './learned-from.js';
import { Origins } from './origins.js';
import { Proofs } from './proofs.js';

export const LINEAGE = [
  Actors,
  Calls,
  ExplainCallHandler,
  ExportLineageHandler,
  FollowDatasetHandler,
  FollowRowHandler,
  FollowedRows,
  LearnedFrom,
  Origins,
  Proofs,
];
