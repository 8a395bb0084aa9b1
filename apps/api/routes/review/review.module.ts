import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { InferencesModule } from '../inferences/inferences.module.js';
import { MarkReviewHandler, ReleaseReviewHandler, ReserveReviewHandler } from './commands.js';
import { ListReviewHandler } from './queries.js';
import { Novelty } from './novelty.js';
import { Reservations } from './reservations.js';
import { ReviewController } from './review.controller.js';

@Module({
  imports: [CqrsModule, InferencesModule],
  controllers: [ReviewController],
  providers: [Novelty, Reservations, ListReviewHandler, MarkReviewHandler, ReleaseReviewHandler, ReserveReviewHandler],
})
export class ReviewModule {}
