import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findInstall, InstallError, outputOf, Unfinished, type EngineFolders, type InstallFacts } from '../index.js';
import { LOCK_FILES, readLlamaLock, type LlamaLock } from './lock.js';

const NEED_BYTES = 300e6;
const PLATFORMS = ['linux-x64', 'linux-arm64'];

/** Folder of the installations in a folder of engines. */
export const LLAMA = 'llama';

export interface LlamaInstall {
  /** Holds `node_modules`. */
  readonly folder: string;
  readonly facts: InstallFacts;
}

export interface LlamaInstallOptions {
  /** Folders of engines; the first is written to. */
  readonly folders: EngineFolders;
  readonly signal?: AbortSignal;
  readonly lock?: LlamaLock;
  /** The program that installs packages. */
  readonly npm?: string;
  /** Free bytes that are required. */
  readonly needBytes?: number;
  readonly platform?: string;
}

/** The installation that was created from this release's lock; null if there is none. */
export const findLlama = (folders: readonly string[], lock = readLlamaLock()): LlamaInstall | null =>
  findInstall(folders, LLAMA, lock.key);

/**
 * Installs the packages of the llama engine from the lock, unless one of the folders has them. An incomplete
 * installation is removed.
 * @throws InstallError on another platform, if npm or room is missing, or a package cannot be fetched
 * @throws the signal's reason
 */
export async function installLlama(
  options: LlamaInstallOptions,
): Promise<LlamaInstall & { readonly wasHere: boolean }> {
  const { folders, signal, lock = readLlamaLock(), npm = 'npm' } = options;
  const here = findLlama(folders, lock);
  if (here) return { ...here, wasHere: true };
  const platform = options.platform ?? `${process.platform}-${process.arch}`;
  if (!PLATFORMS.includes(platform))
    throw new InstallError(`The llama engine runs on Linux (x86-64, arm64), and this is ${platform}`);
  const [own] = folders;
  const needBytes = options.needBytes ?? NEED_BYTES;
  const unfinished = await Unfinished.begin({ own, engine: LLAMA, lockKey: lock.key, needBytes });
  const { folder } = unfinished;
  try {
    await mkdir(folder);
    for (const file of LOCK_FILES) await copyFile(join(lock.directory, file), join(folder, file));
    const args = ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'];
    await outputOf(npm, args, { ...(signal && { signal }), environment: { npm_config_update_notifier: 'false' } });
    await unfinished.finish({ versions: await versionsIn(folder) });
  } finally {
    await unfinished.remove();
  }
  return { ...findLlama([own], lock)!, wasHere: false };
}

async function versionsIn(folder: string): Promise<InstallFacts['versions']> {
  const path = join(folder, 'node_modules', 'node-llama-cpp', 'package.json');
  const { version } = JSON.parse(await readFile(path, 'utf8')) as { readonly version: string };
  return { 'node-llama-cpp': version };
}
