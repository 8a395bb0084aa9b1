import { Module } from '@nestjs/common';
import { TrainingJobsModule } from '../training-jobs/training-jobs.module.js';
import { CompareEvaluationsHandler } from './comparison.js';
import { EvaluationsController } from './evaluations.controller.js';
import { GetEvaluationHandler, ListEvaluationsHandler } from './queries.js';

@Module({
  imports: [TrainingJobsModule],
  controllers: [EvaluationsController],
  providers: [CompareEvaluationsHandler, GetEvaluationHandler, ListEvaluationsHandler],
})
export class EvaluationsModule {}
