import { Actors } from './actors.js';
import { Calls } from './calls.js';
import { ExplainCallHandler } from './queries/call.js';
import { ExportLineageHandler } from './queries/model.js';
import { FollowDatasetHandler } from './queries/dataset.js';
import { FollowRowHandler } from './queries/row.js';
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
