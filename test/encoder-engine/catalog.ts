import { Engines } from '#gpu-runner/contract/engines.js';
import { ENGINES } from '#gpu-runner/engines/engines.js';
import { catalogWith } from '../support/test-engine.js';
import { memory } from './registration.js';

export const READY = 'test/memory-ready';
export const PLAIN = 'test/memory-plain';

/** The engines of this project and the one of encoders in a process. */
export const engines = new Engines([...ENGINES.all, memory]);

/** Writes the project's catalog and the engine's entries into a folder. @returns the file */
export const catalogIn = (directory: string): Promise<string> =>
  catalogWith(memory, directory, ({ heads }) => ({ task_type: 'encoder', supports_inference: heads.length > 0 }));
