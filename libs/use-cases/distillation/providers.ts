import { Surveys } from '#distillation/survey/index.js';
import { ListDistillableHandler } from './queries/distillable.js';

export const DISTILLATION = [ListDistillableHandler, Surveys];
