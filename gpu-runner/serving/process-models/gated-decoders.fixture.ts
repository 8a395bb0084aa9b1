import type { DecoderEngine } from '#gpu-runner/engines/decoder-engine.js';

/** Loads end when their test lets them. */
export const loads = { begun: 0, done: Promise.resolve() };

export const decoders: DecoderEngine = {
  train: () => Promise.reject(new Error('nobody trains it')),
  async load() {
    loads.begun += 1;
    await loads.done;
    return {
      byteSize: 1,
      ready: async () => undefined,
      async *generate() {
        throw new Error('nobody generates');
      },
      close: async () => undefined,
    };
  },
  close: async () => undefined,
};
