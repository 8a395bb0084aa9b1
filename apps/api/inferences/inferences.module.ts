import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { GiveFeedbackHandler } from './commands.js';
import { History } from './history.js';
import { InferencesController } from './inferences.controller.js';
import { GetFeedbackHandler, GetInferenceHandler, ListInferencesHandler } from './queries.js';
import { RecordReader } from './record-reader.js';

@Module({
  imports: [CqrsModule],
  controllers: [InferencesController],
  providers: [
    History,
    RecordReader,
    GiveFeedbackHandler,
    GetFeedbackHandler,
    GetInferenceHandler,
    ListInferencesHandler,
  ],
  exports: [History, RecordReader],
})
export class InferencesModule {}
