import type { OpenDecoderServer, TakesRequest } from '#gpu-runner/engines/decoder-engine.js';

/** Has every model, in two bytes, and generates nothing. */
export const serve: OpenDecoderServer = () => ({
  load: async () => ({
    byteSize: 2,
    ready: async () => undefined,
    async *generate() {
      throw new Error('nobody generates');
    },
    close: async () => undefined,
  }),
  close: async () => undefined,
});

export const takes: TakesRequest = ({ logprobs }) => logprobs === undefined;
