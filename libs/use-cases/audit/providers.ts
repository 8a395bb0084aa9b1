import { ExportAuditHandler } from './export.js';
import { ReadAuditKeysHandler, ReadCheckpointHandler, ReadModelKeysHandler } from './queries.js';
import { ListReadsHandler } from './reads.js';

export const AUDIT = [
  ExportAuditHandler,
  ListReadsHandler,
  ReadAuditKeysHandler,
  ReadCheckpointHandler,
  ReadModelKeysHandler,
];
