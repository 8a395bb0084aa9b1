import { mkdir } from 'node:fs/promises';
import { cached, serversCache } from './cache.js';
import { freePort } from '#primitives/free-port.js';
import { spawnServer, type Command, type RunningServer } from './running.js';
import { need } from './tools.js';

export interface StartOptions {
  /** Holds its data; made when missing. Started again on the same folder, it has its data again. */
  readonly directory: string;
  /** Port on 127.0.0.1; default: any free one. */
  readonly port?: number;
  /** Folder of built servers; default: `serversCache()`. */
  readonly cache?: string;
}

/** A server of one kind and version, that tests can start. */
export interface ServerProgram {
  /** Name for people: `NATS 2.15.2`. */
  readonly name: string;
  /** Builds it, unless the cache has it. @returns its folder @throws ToolMissing when it cannot be built here */
  install(cache?: string): Promise<string>;
  /** Starts it, and installs it before where needed. Resolves once it answers. */
  start(options: StartOptions): Promise<RunningServer>;
}

export interface ServerDefinition {
  readonly name: string;
  /** The program's folder in the cache; a change in the build changes it. */
  readonly key: string;
  /** Tools that the build needs. */
  readonly tools: readonly string[];
  build(folder: string): Promise<void>;
  /** Prepares the data folder, and says how to start on it. */
  command(installed: string, options: { readonly directory: string; readonly port: number }): Promise<Command>;
  address(port: number): string;
  /** Resolves when it answers as it should, rejects while it does not. */
  answers(port: number): Promise<void>;
}

const ATTEMPTS = 3;

export function serverProgram(definition: ServerDefinition): ServerProgram {
  const { name, key, tools } = definition;
  const install = (cache = serversCache()): Promise<string> =>
    cached(cache, key, async (folder) => {
      await need(tools);
      await definition.build(folder);
    });
  const startOn = async (port: number, installed: string, directory: string): Promise<RunningServer> => {
    const command = await definition.command(installed, { directory, port });
    const address = definition.address(port);
    return spawnServer({ name, address, port, directory, answers: () => definition.answers(port) }, command);
  };
  return {
    name,
    install,
    async start({ directory, port, cache }) {
      const installed = await install(cache);
      await mkdir(directory, { recursive: true });
      if (port !== undefined) return startOn(port, installed, directory);
      for (let attempt = 1; ; attempt += 1)
        try {
          return await startOn(await freePort(), installed, directory);
        } catch (error) {
          // Another process took the port.
          if (attempt === ATTEMPTS || !/in use|EADDRINUSE|BindException/i.test(String(error))) throw error;
        }
    },
  };
}
