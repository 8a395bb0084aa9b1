import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { InferencesModule } from '../inferences/inferences.module.js';
import { Actors } from './actors.js';
import { Calls } from './calls.js';
import { ExplainCallHandler } from './explain-call.js';
import { ExportLineageHandler } from './export-lineage.js';
import { LearnedFrom } from './learned-from.js';
import { FollowDatasetHandler } from './follow-dataset.js';
import { FollowRowHandler } from './follow-row.js';
import { FollowedRows } from './followed-rows.js';
import { LineageController } from './lineage.controller.js';
import { LogReader } from '../events/log-reader.js';
import { Origins } from './origins.js';
import { Proofs } from './proofs.js';

@Module({
  imports: [CqrsModule, InferencesModule],
  controllers: [LineageController],
  providers: [
    Actors,
    Calls,
    FollowedRows,
    LearnedFrom,
    LogReader,
    Origins,
    Proofs,
    ExplainCallHandler,
    ExportLineageHandler,
    FollowDatasetHandler,
    FollowRowHandler,
  ],
})
export class LineageModule {}
