import { Engines } from '../contract/engines.js';
import { builtin } from './builtin/registration.js';
import { packsEngine } from './packs/registration.js';
import type { RegisteredEngine } from './registered-engine.js';

/** The engines of this project that need nothing installed: a line for each. */
export const ENGINES = new Engines<RegisteredEngine>([builtin]);

/** The engines above, and the encoder packs that are in these folders now. */
export const enginesWith = (packFolders: readonly string[]): Engines<RegisteredEngine> =>
  new Engines([...ENGINES.all, ...packsEngine(packFolders)]);
