import { Engines } from '#gpu-runner/contract/engines.js';
import { builtin } from '#gpu-runner/engines/builtin/registration.js';
import type { RegisteredEngine } from '#gpu-runner/engines/registered-engine.js';

/** The built-in engine as far as anyone can tell, but for what it learns: see `quick-engine.ts`. For specs about everything around a training. */
export const QUICK_ENGINES = new Engines<RegisteredEngine>([
  {
    ...builtin,
    module: new URL('./quick-engine.js', import.meta.url).href,
    resolveSettings: (facts, given) => builtin.resolveSettings(facts, { epochs: 2, ...given }),
  },
]);
