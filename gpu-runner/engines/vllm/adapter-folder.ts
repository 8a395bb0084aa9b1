import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { baseModelSha256 } from '#gpu-runner/contract/engines.js';
import { ArtifactError } from '../engine.js';
import { EngineUnavailableError } from '../decoder-engine.js';
import type { ServedAdapter } from './adapter-slots.js';
import type { ServerSettings } from './server-settings.js';

/** Files of an adapter that servers read. */
const WEIGHTS = 'adapter_model.safetensors';
const CONFIG = 'adapter_config.json';
const FACTS = 'anneal.json';
/** Readable by the folder's group, to which the server's user may belong. */
const FILE_MODE = 0o640;
const FOLDER_MODE = 0o2750;

/**
 * The folder from which a server reads adapters. A runner has its own folder for each server there, and numbers its adapters itself: no
 * two loaded adapters share a name, even of different jobs.
 */
export class AdapterFolder {
  /** Begins the names of this runner's adapters at the server. */
  readonly prefix: string;
  private readonly own: string;
  private made = 0;

  constructor(
    private readonly server: Pick<
      ServerSettings,
      'name' | 'adaptersDir' | 'serverAdaptersDir' | 'maxLoraRank' | 'base'
    >,
    runner: string,
  ) {
    const owner = createHash('sha256').update(`${runner}\n${server.name}`).digest('hex');
    this.own = `anneal-${owner.slice(0, 12)}`;
    this.prefix = `${this.own}-`;
  }

  /**
   * Removes files of an earlier process of this runner.
   * @throws EngineUnavailableError
   */
  async empty(): Promise<void> {
    await this.written(async () => {
      const folder = join(this.server.adaptersDir, this.own);
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder);
      await chmod(folder, FOLDER_MODE);
    });
  }

  /**
   * Copies an adapter for the server, which sees it whole or not at all.
   * @throws ArtifactError when it was trained on other files of the base, or the server does not support its rank
   * @throws EngineUnavailableError when the folder is not writable
   */
  async put(adapterDirectory: string, baseDirectory: string): Promise<ServedAdapter & { readonly byteSize: number }> {
    await this.check(adapterDirectory, baseDirectory);
    this.made += 1;
    // The cache names folders by job and content.
    const digest = createHash('sha256').update(adapterDirectory).digest('hex').slice(0, 24);
    const name = `${this.prefix}${digest}-${this.made}`;
    const { adaptersDir, serverAdaptersDir } = this.server;
    const target = join(adaptersDir, this.own, name);
    await this.written(async () => {
      const partial = `${target}.partial`;
      await mkdir(partial);
      await chmod(partial, FOLDER_MODE);
      for (const file of [WEIGHTS, CONFIG]) await copySynced(join(adapterDirectory, file), join(partial, file));
      await rename(partial, target);
    });
    const { size } = await stat(join(adapterDirectory, WEIGHTS));
    return { name, path: `${serverAdaptersDir}/${this.own}/${name}`, byteSize: size };
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.server.adaptersDir, this.own, name), { recursive: true, force: true });
  }

  private async check(adapterDirectory: string, baseDirectory: string): Promise<void> {
    const { base, maxLoraRank } = this.server;
    const facts = (await readJson(join(adapterDirectory, FACTS))) as { base?: { sha256?: unknown } };
    if (facts.base?.sha256 !== (await baseModelSha256(baseDirectory)))
      throw new ArtifactError(`The adapter was trained on other files of ${base}: train again`);
    const { r } = (await readJson(join(adapterDirectory, CONFIG))) as { r?: unknown };
    if (typeof r === 'number' && r <= maxLoraRank) return;
    throw new ArtifactError(
      `The adapter has rank ${String(r)}, and the server that generates with ${base} loads ranks of up to ${maxLoraRank}`,
    );
  }

  private async written(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      console.error(`the folder of adapters for the server of ${this.server.base}: ${(error as Error).message}`);
      throw new EngineUnavailableError('The server that generates with this model cannot be given adapters now', {
        cause: error,
      });
    }
  }
}

async function copySynced(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  await chmod(to, FILE_MODE);
  const file = await open(to);
  await file.sync().finally(() => file.close());
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) ?? {};
  } catch (error) {
    throw new ArtifactError('The adapter is damaged', { cause: error });
  }
}
