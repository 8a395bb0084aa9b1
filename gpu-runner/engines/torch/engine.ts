import type { DecoderEngine } from '../decoder-engine.js';
import type { EncoderEngine } from '../encoder-engine.js';
import { exportModel } from './export.js';
import type { StartEngine } from './process.js';
import { TorchServing } from './serving.js';
import { trainDecoder } from './train-decoder.js';
import { trainEncoder } from './train-encoder.js';

/** The engine of PyTorch: a process of Python for each training and export, and one for all models that are served. */
export function createTorch(start: StartEngine): {
  readonly decoders: DecoderEngine;
  readonly encoders: EncoderEngine;
} {
  const serving = new TorchServing(start);
  const shared: Pick<DecoderEngine & EncoderEngine, 'export' | 'close'> = {
    export: (request, report, signal) => exportModel(start, request, report, signal),
    close: () => serving.close(),
  };
  return {
    decoders: {
      train: (request, report, signal) => trainDecoder(start, request, report, signal),
      load: (baseDirectory, adapterDirectory) => serving.decoder(baseDirectory, adapterDirectory),
      ...shared,
    },
    encoders: {
      train: (request, report, signal) => trainEncoder(start, request, report, signal),
      load: (baseDirectory, adapterDirectory) => serving.encoder(baseDirectory, adapterDirectory),
      ...shared,
    },
  };
}
