import { Module } from '@nestjs/common';
import { TrainingJobsModule } from '../training-jobs/training-jobs.module.js';
import { CancelImprovementHandler, ForceGateHandler, ImproveModelHandler, SetPolicyHandler } from './commands.js';
import { ImprovementsController } from './improvements.controller.js';
import { GetImprovementHandler, ListAllImprovementsHandler, ListImprovementsHandler } from './queries.js';

/** Improvements of named models. The worker drives them. */
@Module({
  imports: [TrainingJobsModule],
  controllers: [ImprovementsController],
  providers: [
    CancelImprovementHandler,
    ForceGateHandler,
    GetImprovementHandler,
    ImproveModelHandler,
    ListAllImprovementsHandler,
    ListImprovementsHandler,
    SetPolicyHandler,
  ],
})
export class ImprovementsModule {}
