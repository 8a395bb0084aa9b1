import { createTorch } from './engine.js';
import { startTorch } from './python.js';

/** The program of the virtual environment comes with this module's address: a process of an attempt has no settings. */
const python = new URL(import.meta.url).searchParams.get('python');
if (python === null) throw new Error('the address of the torch engine names no Python');

export const { decoders, encoders } = createTorch(startTorch(python));
