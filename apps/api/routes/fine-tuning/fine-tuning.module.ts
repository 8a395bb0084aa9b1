import { Module } from '@nestjs/common';
import { CreateFineTuningJobHandler } from './commands.js';
import { FineTuningController } from './fine-tuning.controller.js';
import {
  GetFineTuningJobHandler,
  ListFineTuningCheckpointsHandler,
  ListFineTuningEventsHandler,
  ListFineTuningJobsHandler,
} from './queries.js';

/** Fine-tuning jobs of the OpenAI API: another view of training jobs. */
@Module({
  controllers: [FineTuningController],
  providers: [
    CreateFineTuningJobHandler,
    GetFineTuningJobHandler,
    ListFineTuningJobsHandler,
    ListFineTuningEventsHandler,
    ListFineTuningCheckpointsHandler,
  ],
})
export class FineTuningModule {}
