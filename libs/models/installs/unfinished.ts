import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requireDiskRoom } from '#primitives/files/room.js';
import { findInstall, MARKER, type InstallFacts } from './folders.js';
import { InstallError } from './install-error.js';

interface Beginning {
  /** Folder of engines that is written to. */
  readonly own: string;
  readonly engine: string;
  readonly lockKey: string;
  /** Free bytes that are required. */
  readonly needBytes: number;
}

/** An installation in progress, in a folder beside its place. Nothing uses it before it is finished. */
export class Unfinished {
  readonly folder: string;

  private constructor(private readonly beginning: Beginning) {
    const { own, engine, lockKey } = beginning;
    this.folder = join(own, engine, `${lockKey}.unfinished-${process.pid}`);
  }

  /**
   * Deletes leftovers of interrupted installations.
   * @throws InstallError if room is missing
   */
  static async begin(beginning: Beginning): Promise<Unfinished> {
    const { own, engine, needBytes } = beginning;
    const all = join(own, engine);
    // The data folder may be new, and the first start refuses a folder that others can read or that holds foreign files.
    await mkdir(all, { recursive: true, mode: 0o700 });
    // Leftovers occupy the room that is needed.
    await removeAbandoned(all);
    await requireDiskRoom(
      all,
      needBytes,
      (needed, left) =>
        new InstallError(
          `The ${engine} engine needs ${needed} GB of disk while it is installed, and ${all} has ${left} GB left`,
        ),
    );
    return new Unfinished(beginning);
  }

  /** Puts the installation in its place, unless another process was faster. */
  async finish<Facts extends InstallFacts>(facts: Omit<Facts, 'lock' | 'bytes'>): Promise<void> {
    const { own, engine, lockKey } = this.beginning;
    const whole = { ...{ lock: lockKey, ...facts }, bytes: await sizeOf(this.folder) };
    await writeFile(join(this.folder, MARKER), `${JSON.stringify(whole, null, 2)}\n`);
    if (findInstall([own], engine, lockKey) !== null) return;
    const place = join(own, engine, lockKey);
    await rm(place, { recursive: true, force: true });
    await rename(this.folder, place);
  }

  /** Deletes the folder. Does nothing once the installation is in its place. */
  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Deletes leftovers of installations that no longer run. */
async function removeAbandoned(engine: string): Promise<void> {
  for (const name of await readdir(engine)) {
    const pid = /\.unfinished-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) await rm(join(engine, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Bytes of the files of a folder. */
async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  return bytes;
}
