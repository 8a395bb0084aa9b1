import type { DecoderEngine, OpenDecoderServer, TakesRequest } from '../decoder-engine.js';
import { TrainingError } from '../engine.js';
import { TorchServing } from '../torch/serving.js';
import { requireGrammar, usesTools } from './form.js';
import { UnsupportedSchemaError } from './json-grammar.js';
import { startLlama } from './process.js';

/** The installation comes with this module's address: a process of an attempt has no settings. */
const address = new URL(import.meta.url).searchParams;
const folder = address.get('folder');
if (folder === null) throw new Error('the address of the llama engine names no folder');

const serving = new TorchServing(startLlama(folder, address.get('version') ?? ''), 'llama');

export const decoders: DecoderEngine = {
  train: () => Promise.reject(new TrainingError('The llama engine trains no models; the torch engine does')),
  load: (baseDirectory, adapterDirectory) => serving.decoder(baseDirectory, adapterDirectory),
  close: () => serving.close(),
};

export const serve: OpenDecoderServer = () => decoders;

export const takes: TakesRequest = (request, features) => {
  if (usesTools(request) && !features.includes('tools')) return false;
  try {
    requireGrammar(request);
    return true;
  } catch (error) {
    if (error instanceof UnsupportedSchemaError) return false;
    throw error;
  }
};
