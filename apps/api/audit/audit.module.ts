import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AuditController } from './audit.controller.js';
import { ExportAuditHandler } from './export.js';
import { ReadAuditKeysHandler, ReadCheckpointHandler } from './queries.js';

@Module({
  imports: [CqrsModule],
  controllers: [AuditController],
  providers: [ExportAuditHandler, ReadAuditKeysHandler, ReadCheckpointHandler],
})
export class AuditModule {}
