// Jest's runner for specs of this project: spec files run one after another in a few processes, each of which loads a module once.
// Jest's own runner gives each file modules of its own, in a `vm`: compiling those took two fifths of the CPU of the specs of the API.
import { Worker } from 'jest-worker';
import { fileURLToPath } from 'node:url';

const WORKER = fileURLToPath(new URL('./jest-worker.mjs', import.meta.url));

export default class SharedModulesRunner {
  constructor(globalConfig) {
    this.globalConfig = globalConfig;
  }

  /** @param tests the spec files, those that are thought to take longest first */
  async runTests(tests, watcher, onStart, onResult, onFailure) {
    const { maxWorkers, workerIdleMemoryLimit } = this.globalConfig;
    const numWorkers = Math.min(maxWorkers, tests.length);
    const worker = new Worker(WORKER, {
      exposedMethods: ['runFile', 'closeShared'],
      numWorkers,
      maxRetries: 0,
      idleMemoryLimit: workerIdleMemoryLimit,
      forkOptions: { serialization: 'advanced', stdio: 'inherit' },
    });
    // The pool does not replace a process that died: files that are unanswered by then have failed.
    const died = Promise.withResolvers();
    died.promise.catch(() => undefined);
    try {
      await Promise.all(
        tests.map(async (test) => {
          const { config } = test.context;
          try {
            const started = worker.runFile({ path: test.path, config, globalConfig: this.globalConfig });
            started.UNSTABLE_onCustomMessage?.(() => onStart(test));
            started.catch(died.reject);
            const { unloadable, ...result } = await Promise.race([started, died.promise]);
            await (unloadable ? onFailure(test, unloadable) : onResult(test, result));
          } catch (error) {
            await onFailure(test, error);
          }
        }),
      );
      // All processes are idle, so each gets one of these calls.
      const closed = Promise.all(Array.from({ length: numWorkers }, () => worker.closeShared()));
      await Promise.race([closed, died.promise.catch(() => undefined)]);
    } finally {
      await worker.end();
    }
  }
}
