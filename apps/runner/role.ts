import { join } from 'node:path';
import type { Base } from '#apps/composition/compose.js';
import { serveInference } from '#gpu-runner/serving/inference-server.js';
import { startRunner } from '#gpu-runner/runner.js';

export interface ServingOptions {
  /** Milliseconds that a call waits for the weights of its model before it is 425. */
  readonly loadPatienceMs?: number;
}

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
