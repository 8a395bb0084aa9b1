import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Base } from '#apps/composition/compose.js';
import { serveInference } from '#gpu-runner/serving/inference-server.js';
import { startRunner } from '#gpu-runner/runner.js';

export interface ServingOptions {
  /** Milliseconds that a call waits for the weights of its model before it is 425. */
  readonly loadPatienceMs?: number;
}

const MAX_EVALUATIONS = 4;
/** Of an evaluation: it holds a base model of its own, and computes in processes of its own. */
const CORES = 4;
const MEMORY_BYTES = 16 * 1024 ** 3;

/** Evaluations that this machine has room for at a time. */
const roomForEvaluations = (): number =>
  Math.max(
    1,
    Math.min(MAX_EVALUATIONS, ...[availableParallelism() / CORES, totalmem() / MEMORY_BYTES].map(Math.floor)),
  );

/** Trains, evaluates and serves, under one name. @param options `directory`: for files that may be lost */
export function startRunnerRole(
  {
    bus,
    objectStore,
    locations,
    engines,
    settings,
    metrics,
    background,
  }: Pick<Base, 'bus' | 'objectStore' | 'locations' | 'engines' | 'settings' | 'metrics' | 'background'>,
  { name, directory, ...serving }: ServingOptions & { readonly name: string; readonly directory: string },
): { close(): Promise<void> } {
  const runner = startRunner({
    bus,
    name,
    objectStore: locations.objectStore,
    workDirectory: join(directory, 'runner'),
    engines: engines.all,
    capacity: { training: 1, evaluation: settings.evaluations ?? roomForEvaluations(), export: 1 },
    silenceMs: settings.attemptSilenceMinutes * 60_000,
    background,
  });
  const inference = serveInference({
    bus,
    name,
    objectStore,
    cacheDirectory: join(directory, 'cache', 'adapters'),
    engines,
    maxProcessAdapterBytes: settings.torchAdapterBytes,
    background,
    ...serving,
  });
  metrics?.watchRunner(() => ({ attempts: runner.figures(), serving: inference.figures() }));
  return {
    async close() {
      await runner.close();
      await inference.close();
    },
  };
}
