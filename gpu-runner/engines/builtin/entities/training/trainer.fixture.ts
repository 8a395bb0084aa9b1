import { drain } from '../../../steps.js';
import type { HeadTrainer } from '../../head.js';
import { createEntityTrainer, createLayeredTrainer } from '../index.js';

/** Trainers that are made at once. */
export const entityTrainer = (...given: Parameters<typeof createEntityTrainer>): HeadTrainer =>
  drain(createEntityTrainer(...given));

export const layeredTrainer = (...given: Parameters<typeof createLayeredTrainer>): HeadTrainer =>
  drain(createLayeredTrainer(...given));
