import { threadId } from 'node:worker_threads';
import type { Engine } from '#gpu-runner/engines/engine.js';

/**
 * An engine that answers with where it ran: the input tokens of a text are the thread's number in thousands and how often that
 * thread has run. It reads a text of more than 4,096 characters until the call is dropped.
 */

export const whereOf = (inputTokens: number) => ({
  thread: Math.floor(inputTokens / THOUSANDS),
  runs: inputTokens % THOUSANDS,
});

const THOUSANDS = 100_000;
let runs = 0;

export const engine = {
  load: () => ({
    abilities: { entityLabels: [], classLabels: [], multiLabel: false },
    byteSize: 0,
    *infer({ texts }) {
      runs += 1;
      while (texts.some(({ length }) => length > 4_096)) yield;
      return {
        results: texts.map(() => ({ truncated: false })),
        warnings: [],
        inputTokens: texts.map(() => threadId * THOUSANDS + runs),
      };
    },
    evaluate: () => {
      throw new Error('it evaluates nothing');
    },
  }),
  train: () => Promise.reject(new Error('it trains nothing')),
} satisfies Engine;
