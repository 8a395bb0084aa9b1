import { createTorch } from './engine.js';
import { startTorch } from './python.js';

/** The program of the virtual environment and the processes of a training come with this module's address: a process of an attempt has no settings. */
const { searchParams } = new URL(import.meta.url);
const python = searchParams.get('python');
if (python === null) throw new Error('the address of the torch engine names no Python');

const given = (name: string) => searchParams.get(name) ?? undefined;

export const { decoders, encoders } = createTorch(startTorch(python, given('processes'), given('deterministic')));
