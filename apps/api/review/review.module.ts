import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { InferencesModule } from '../inferences/inferences.module.js';
import { AssignReviewHandler, ReleaseReviewHandler, ReserveReviewHandler, SkipReviewHandler } from './commands.js';
import { ListReviewHandler } from './queries.js';
import { Reservations } from './reservations.js';
import { ReviewController } from './review.controller.js';

@Module({
  imports: [CqrsModule, InferencesModule],
  controllers: [ReviewController],
  providers: [
    Reservations,
    AssignReviewHandler,
    ListReviewHandler,
    ReleaseReviewHandler,
    ReserveReviewHandler,
    SkipReviewHandler,
  ],
})
export class ReviewModule {}
