import { Engines } from '#gpu-runner/contract/engines.js';
import { ENGINES } from '#gpu-runner/engines/engines.js';
import { catalogWith } from '../support/test-engine.js';
import { parrot } from './registration.js';

export const CHAT = 'test/parrot-chat';
export const BASE = 'test/parrot-base';

/** The engines of this project and the parrot. */
export const engines = new Engines([...ENGINES.all, parrot]);

/** Writes the project's catalog and the parrots' entries into a folder. @returns the file */
export const catalogIn = (directory: string): Promise<string> =>
  catalogWith(parrot, directory, ({ generation }) => ({
    ...{ task_type: 'decoder', instruct: generation!.hasChatTemplate, supports_inference: true },
  }));
