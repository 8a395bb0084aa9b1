import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { GiveFeedbackHandler } from './commands.js';
import { EraseContentHandler } from './erasure.js';
import { ExportInferencesHandler } from './export.js';
import { History } from './history.js';
import { ImportInferencesHandler } from './import.js';
import { InferencesController } from './inferences.controller.js';
import { GetAgreementHandler, GetFeedbackHandler, GetInferenceHandler, ListInferencesHandler } from './queries.js';
import { RecordReader } from './record-reader.js';
import { GetInferenceStatsHandler } from './stats.js';

@Module({
  imports: [CqrsModule],
  controllers: [InferencesController],
  providers: [
    History,
    RecordReader,
    EraseContentHandler,
    GiveFeedbackHandler,
    GetAgreementHandler,
    GetFeedbackHandler,
    GetInferenceHandler,
    ListInferencesHandler,
    GetInferenceStatsHandler,
    ExportInferencesHandler,
    ImportInferencesHandler,
  ],
  exports: [History, RecordReader],
})
export class InferencesModule {}
