import {
  EngineUnavailableError,
  type DecoderEngine,
  type GeneratedChunk,
  type OpenDecoderServer,
} from '#gpu-runner/engines/decoder-engine.js';

interface Running {
  readonly prompt: string;
  readonly signal: AbortSignal;
  /** Chunks that were taken from it. */
  taken: number;
  finish(): void;
}

/** Generations that run now, in the order in which they began. */
export const running: Running[] = [];
/** Folders of the models that were closed. */
export const closed: string[] = [];

/** Resolves once models that were lost are in memory again. */
export const restart = { done: Promise.resolve(), waiting: 0 };

/** A MiB. */
const PIECE = 'x'.repeat(1024 * 1024);

/**
 * Does what a prompt tells it: `hold` says nothing until its test lets it finish; `endless` gives a MiB a chunk; `lost` dies after one
 * chunk.
 */
export const decoders: DecoderEngine = {
  train: () => Promise.reject(new Error('nobody trains it')),
  async load(baseDirectory, adapterDirectory) {
    return {
      byteSize: 1,
      async ready() {
        restart.waiting += 1;
        await restart.done;
        restart.waiting -= 1;
      },
      async *generate({ input }, signal): AsyncGenerator<GeneratedChunk> {
        const prompt = 'prompt' in input ? input.prompt : '';
        const finished = Promise.withResolvers<void>();
        const own: Running = { prompt, signal, taken: 0, finish: finished.resolve };
        running.push(own);
        signal.addEventListener('abort', () => finished.reject(signal.reason as Error));
        finished.promise.catch(() => undefined);
        try {
          if (prompt === 'hold') await finished.promise;
          for (; prompt === 'endless'; own.taken += 1) {
            signal.throwIfAborted();
            yield { type: 'text', text: PIECE };
          }
          yield { type: 'text', text: 'done' };
          if (prompt === 'lost') throw new EngineUnavailableError('its process was lost');
          yield { type: 'end', reason: 'stop', inputTokens: 1, outputTokens: 1 };
        } finally {
          running.splice(running.indexOf(own), 1);
        }
      },
      async close() {
        closed.push(adapterDirectory ?? baseDirectory);
      },
    };
  },
  async close() {},
};

/** Does the same at a server. */
export const serve: OpenDecoderServer = () => decoders;
