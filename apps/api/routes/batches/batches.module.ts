import { Module } from '@nestjs/common';
import { BatchesController } from './batches.controller.js';
import { CancelBatchHandler, CreateBatchHandler } from './commands.js';
import { GetBatchHandler, ListBatchesHandler } from './queries.js';

/** Batches of the OpenAI API. The worker drives them; API processes answer their requests (`serve-lines.ts`). */
@Module({
  controllers: [BatchesController],
  providers: [CreateBatchHandler, CancelBatchHandler, GetBatchHandler, ListBatchesHandler],
})
export class BatchesModule {}
