import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { LogReader } from '../events/log-reader.js';
import { GiveFeedbackHandler } from './commands.js';
import { EraseContentHandler, EraseSubjectHandler } from './erasure.js';
import { ExportInferencesHandler } from './export.js';
import { History } from './history.js';
import { Learned } from './learned.js';
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
    LogReader,
    Learned,
    EraseContentHandler,
    EraseSubjectHandler,
    GiveFeedbackHandler,
    GetAgreementHandler,
    GetFeedbackHandler,
    GetInferenceHandler,
    ListInferencesHandler,
    GetInferenceStatsHandler,
    ExportInferencesHandler,
    ImportInferencesHandler,
  ],
  exports: [History, Learned, LogReader, RecordReader],
})
export class InferencesModule {}
