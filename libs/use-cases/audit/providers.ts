import { ExportAuditHandler } from './queries/export.js';
import { ReadAuditKeysHandler, ReadCheckpointHandler, ReadModelKeysHandler } from './queries/keys.js';
import { ListReadsHandler } from './queries/reads.js';

export const AUDIT = [
  ExportAuditHandler,
  ListReadsHandler,
  ReadAuditKeysHandler,
  ReadCheckpointHandler,
  ReadModelKeysHandler,
];
