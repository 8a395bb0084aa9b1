import { MarkReviewHandler, ReleaseReviewHandler, ReserveReviewHandler } from './commands.js';
import { Novelty } from './novelty.js';
import { ListReviewHandler } from './queries.js';
import { Reservations } from './reservations.js';

export const REVIEW = [
  ListReviewHandler,
  MarkReviewHandler,
  Novelty,
  ReleaseReviewHandler,
  Reservations,
  ReserveReviewHandler,
];
