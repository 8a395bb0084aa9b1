import { Engines } from '../contract/engines.js';
import { builtin } from './builtin/registration.js';
import type { RegisteredEngine } from './registered-engine.js';

/** The engines of this project: a line for each. */
export const ENGINES = new Engines<RegisteredEngine>([builtin]);
