import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const MAIN = join(import.meta.dirname, '..', '..', 'apps', 'standalone', 'main.js');
const START_MS = 60_000;
/** The compiled code of modules, which other processes read too. It has nothing of what a system is sent. */
const COMPILED = process.env['NODE_COMPILE_CACHE'] ? { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] } : {};

/** A system that keeps all that it writes in one folder: its data, what it says at the level `trace`, its temporary files. */
export class WatchedSystem {
  private origin = '';
  private pid = 0;
  private exited: Promise<unknown> = Promise.resolve();

  private constructor(readonly directory: string) {}

  static async create(): Promise<WatchedSystem> {
    const system = new WatchedSystem(await mkdtemp(join(tmpdir(), 'anneal-privacy-')));
    for (const folder of ['tmp', 'home', 'data']) await mkdir(join(system.directory, folder));
    return system;
  }

  get url(): string {
    return this.origin;
  }

  /** Starts it, again after it was killed. @throws Error with the end of what it said */
  async start(settings: Readonly<Record<string, string>>): Promise<void> {
    const said = join(this.directory, 'said.txt');
    const log = await open(said, 'a');
    const before = (await readFile(said)).length;
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN], {
      env: {
        ...{ PATH: process.env['PATH'], HOST: '127.0.0.1', PORT: '0', ANNEAL_LOG_LEVEL: 'trace' },
        ...{ TMPDIR: join(this.directory, 'tmp'), HOME: join(this.directory, 'home') },
        ...COMPILED,
        ...settings,
        ANNEAL_DATA_DIR: join(this.directory, 'data'),
      },
      stdio: ['ignore', log.fd, log.fd],
    });
    await log.close();
    this.pid = child.pid!;
    this.exited = new Promise((resolve) => child.once('exit', resolve));
    const deadline = performance.now() + START_MS;
    for (;;) {
      const text = (await readFile(said)).subarray(before).toString();
      const [url] = /http:\/\/\S+/.exec(text) ?? [];
      if (url !== undefined) {
        this.origin = new URL(url).origin;
        return;
      }
      if (child.exitCode !== null || performance.now() > deadline)
        throw new Error(`it does not start:\n${text.slice(-2000)}`);
      await sleep(20);
    }
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (this.pid === 0) return;
    process.kill(this.pid, signal);
    await this.exited;
    this.pid = 0;
  }

  async remove(): Promise<void> {
    await this.end('SIGKILL').catch(() => undefined);
    await rm(this.directory, { recursive: true, force: true });
  }
}
