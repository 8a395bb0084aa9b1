import { evaluationUpcasters } from './evaluation/upcasters.js';
import { inferenceUpcasters } from './inference/upcasters.js';
import { trainingJobUpcasters } from './training-job/upcasters.js';
import { Upcasters } from './upcaster.js';

/** Every older shape of an event that a log may hold. */
export const upcasters = new Upcasters([...evaluationUpcasters, ...inferenceUpcasters, ...trainingJobUpcasters]);
