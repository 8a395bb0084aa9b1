import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EngineProcess, type EngineProcessOptions, type StartEngine } from './process.js';

/**
 * Starts a process in a new folder, which is its home too and is deleted after its end. Only the runner's user can write to it:
 * programs run code and read settings that they find in such folders.
 * @param name begins the folder's name
 */
export const startInOwnFolder =
  (name: string, options: Pick<EngineProcessOptions, 'command' | 'environment'>): StartEngine =>
  async (onMessage) => {
    const directory = await mkdtemp(join(tmpdir(), `${name}-`));
    const remove = () => rm(directory, { recursive: true, force: true });
    try {
      const started = await EngineProcess.start({
        ...{ command: options.command, directory, onMessage },
        environment: { ...options.environment, HOME: directory },
      });
      void started.ended.then(remove).catch(() => undefined);
      return started;
    } catch (error) {
      await remove();
      throw error;
    }
  };

/** Variables of the runner's environment, by their names. */
export const passedOn = (names: readonly string[]): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => names.includes(name)));
