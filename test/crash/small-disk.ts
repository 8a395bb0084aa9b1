import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { open, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MOUNT = 'mount -t tmpfs -o size="$1" none "$2"';

/** A file system of its own that can be filled: in memory, seen only by programs that are run `through` it. Needs no root. */
export class SmallDisk {
  private constructor(
    private readonly holder: ChildProcess,
    readonly directory: string,
  ) {}

  /** Whether the system lets a user mount one (Linux with user namespaces). */
  static isPossible(): boolean {
    const { status } = spawnSync('unshare', [...NAMESPACES, 'sh', '-c', MOUNT, 'sh', '1m', tmpdir()]);
    return status === 0;
  }

  static async mount(mebibytes: number): Promise<SmallDisk> {
    const directory = mkdtempSync(join(tmpdir(), 'anneal-small-disk-'));
    const script = `${MOUNT} && echo mounted && exec cat`;
    const holder = spawn('unshare', [...NAMESPACES, 'sh', '-c', script, 'sh', `${mebibytes}m`, directory], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');
    return new SmallDisk(holder, directory);
  }

  get through(): readonly string[] {
    return ['nsenter', '--user', '--mount', '--preserve-credentials', `--target=${this.holder.pid}`];
  }

  /** Leaves not a byte. What is there already can still be overwritten, as on any disk. */
  async fill(): Promise<void> {
    const file = await open(this.ballast, 'a');
    try {
      for (;;) await file.write(Buffer.alloc(65_536));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      await file.close();
    }
  }

  free(): Promise<void> {
    return rm(this.ballast, { force: true });
  }

  /** Leaves so much after it was filled. */
  async leave(bytes: number): Promise<void> {
    const { size } = await stat(this.ballast);
    await truncate(this.ballast, size - bytes);
  }

  /** The directory's contents are gone with the last program that saw them. */
  async close(): Promise<void> {
    this.holder.stdin!.end();
    await once(this.holder, 'exit');
    await rm(this.directory, { recursive: true, force: true });
  }

  private get ballast(): string {
    return `/proc/${this.holder.pid}/root${this.directory}/ballast`;
  }
}

const NAMESPACES = ['--user', '--map-root-user', '--mount'];
