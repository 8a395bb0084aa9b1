import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AuditController } from './audit.controller.js';
import { ExportAuditHandler } from './export.js';
import { ReadAuditKeysHandler, ReadCheckpointHandler, ReadModelKeysHandler } from './queries.js';
import { ListReadsHandler } from './reads.js';

@Module({
  imports: [CqrsModule],
  controllers: [AuditController],
  providers: [ExportAuditHandler, ListReadsHandler, ReadAuditKeysHandler, ReadCheckpointHandler, ReadModelKeysHandler],
})
export class AuditModule {}
