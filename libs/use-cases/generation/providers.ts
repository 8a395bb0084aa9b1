import { Decoders } from '#calls/index.js';
import { builtInGenerator } from '#rows/synthetic/built-in/index.js';
import { decoderGenerator } from '#rows/synthetic/decoder/index.js';
import { Generators } from '#rows/synthetic/generators.js';
import { LiveGeneration } from './live-progress.js';
import { EraseGenerationHandler } from './commands/erase.js';
import { StartGenerationHandler } from './commands/start.js';
import { LabelExistingHandler } from './commands/label-existing.js';
import { GetGenerationJobHandler } from './queries.js';

/** Generators that only check requests; workers make the rows. */
const generators = {
  provide: Generators,
  inject: [Decoders],
  useFactory: (decoders: Decoders) =>
    new Generators(builtInGenerator, (modelId) => decoderGenerator(decoders, modelId)),
};

export const GENERATION = [
  LiveGeneration,
  generators,
  EraseGenerationHandler,
  GetGenerationJobHandler,
  LabelExistingHandler,
  StartGenerationHandler,
];
