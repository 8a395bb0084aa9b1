import type { EncoderEngine } from '#gpu-runner/engines/encoder-engine.js';

/** Signals of the calls that run. They end only when they are aborted. */
export const held: AbortSignal[] = [];

export const encoders: EncoderEngine = {
  train: () => Promise.reject(new Error('nobody trains it')),
  load: async () => ({
    ...{ byteSize: 1, abilities: { entityLabels: null, classLabels: null, multiLabel: false } },
    ready: async () => undefined,
    infer: (_, signal) =>
      new Promise((_resolve, reject) => {
        held.push(signal);
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      }),
    close: async () => undefined,
  }),
  close: async () => undefined,
};
