import { fork, type ChildProcess } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { withoutPaths } from '#primitives/text/without-paths.js';

export interface ChildLimits {
  /** Heap limit of each thread. */
  readonly heapMiB: number;
  /** Limit for the whole process, native libraries included; enforced where the system reports it (Linux). */
  readonly memoryMiB: number;
  /**
   * Kills a child that moves no byte and sends no message for this long. Time spent waiting for the feeder or the
   * reader does not count.
   */
  readonly silenceMs: number;
  readonly totalMs: number;
}

interface ConfinedOptions extends ChildLimits {
  /** The child's program. */
  readonly program: URL;
  /** The one folder that it may write to. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** File descriptors of the child's pipes: its standard input, and one for output. */
export const PIPES = { input: 0, output: 4 } as const;

const BUILD = fileURLToPath(new URL('../../../', import.meta.url));
const PROJECT = fileURLToPath(new URL('../../../../', import.meta.url));
/** Folders of packages. An installed Anneal lies in one, beside most of what it needs. */
const PACKAGES = [join(PROJECT, 'node_modules'), dirname(PROJECT)].filter((path) => basename(path) === 'node_modules');
const MEMORY_CHECK_MS = 200;
/** The first to go when the system runs out of memory (Linux: -1000 to 1000). */
const OOM_SCORE = '900';
/** Bytes gathered before they are passed on; a pipe delivers 64 KiB at a time. */
const GATHERED_BYTES = 1024 * 1024;
const NICE = 10;
const KEPT_ERROR = 4096;
/** The messages of Node and DuckDB for a full disk. */
const NO_ROOM = /\b(?:ENOSPC|EDQUOT)\b|No space left on device/;

/** The child ended without a verdict: a crash, a kill, or it was stopped for hanging. The message names the cause. */
export class ChildDiedError extends Error {
  override readonly name = 'ChildDiedError';
}

/** The child ended because the disk was full: its input is not to blame, and waiting may help. */
export class NoRoomError extends Error {
  override readonly name = 'NoRoomError';
  readonly code = 'ENOSPC';
}

/**
 * A child process for untrusted input. It may read the program and one folder and write only to that folder (Node's
 * permission model; native libraries are confined by their own means), inherits no environment, has bounded memory and
 * runs at low priority.
 */
export class ConfinedProcess<Message, Told extends object = never> {
  private readonly child: ChildProcess;
  private readonly limits: ChildLimits;
  private readonly messages: Message[] = [];
  private readonly ended: Promise<never>;
  private wake: () => void = () => undefined;
  private lastMove = performance.now();
  /** The pipes whose other end keeps this process waiting. */
  private readonly waiting = new Set<number>();
  private killedFor: string | null = null;
  private errors = '';

  /** @param job the first message to the child */
  constructor(job: object, options: ConfinedOptions) {
    this.limits = options;
    const { program, folder, heapMiB, signal } = options;
    this.child = fork(program, [], {
      stdio: ['pipe', 'ignore', 'pipe', 'ipc', 'pipe'],
      env: {},
      cwd: folder,
      execArgv: [
        '--disable-warning=ExperimentalWarning',
        '--disable-warning=SecurityWarning',
        `--max-old-space-size=${heapMiB}`,
        '--permission',
        '--allow-worker',
        '--allow-addons',
        `--allow-fs-read=${BUILD}`,
        ...PACKAGES.map((path) => `--allow-fs-read=${path}/`),
        `--allow-fs-read=${PROJECT}package.json`,
        `--allow-fs-read=${folder}/`,
        `--allow-fs-write=${folder}/`,
      ],
      signal,
      killSignal: 'SIGKILL',
      serialization: 'json',
    });
    this.ended = this.watch();
    // The rejection is delivered to the caller that awaits `ended`; this prevents it from being unhandled before that.
    this.ended.catch(() => undefined);
    if (this.child.pid !== undefined) stepBack(this.child.pid);
    this.child.send(job);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /**
   * Feeds its standard input. A child that needs no more closes the pipe, which is not an error; its message gives the
   * reason.
   * @throws the source's error
   */
  async feed(source: AsyncIterable<Uint8Array>): Promise<void> {
    const [waits, goesOn] = [() => this.waits(PIPES.input), () => this.goesOn(PIPES.input)];
    const broken: { error: Error | null } = { error: null };
    async function* counted() {
      try {
        waits();
        for await (const chunk of source) {
          goesOn();
          yield chunk;
          waits();
        }
      } catch (error) {
        broken.error = error as Error;
        throw error;
      } finally {
        goesOn();
      }
    }
    try {
      await pipeline(counted(), this.child.stdio[PIPES.input] as Writable);
    } catch {
      // A broken source looks to the child like one that ended, so its result must not count.
      if (broken.error) throw broken.error;
    }
  }

  /** Yields the child's output. */
  async *output(): AsyncGenerator<Uint8Array> {
    const waits = () => this.waits(PIPES.output);
    let gathered: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const chunk of this.child.stdio[PIPES.output] as Readable) {
        this.goesOn(PIPES.output);
        gathered.push(chunk as Buffer);
        bytes += (chunk as Buffer).length;
        if (bytes < GATHERED_BYTES) continue;
        waits();
        yield Buffer.concat(gathered, bytes);
        this.goesOn(PIPES.output);
        gathered = [];
        bytes = 0;
      }
      waits();
      if (bytes > 0) yield Buffer.concat(gathered, bytes);
    } finally {
      this.goesOn(PIPES.output);
    }
  }

  /** Answers a message of the child. */
  tell(message: Told): void {
    this.lastMove = performance.now();
    // An ended process accepts no message; `next` reports it.
    if (this.child.connected) this.child.send(message);
  }

  /** The child's next message. @throws ChildDiedError when it ends without one */
  async next(): Promise<Message> {
    for (;;) {
      const message = this.messages.shift();
      if (message) return message;
      const spoken = new Promise<void>((resolve) => (this.wake = resolve));
      await Promise.race([spoken, this.ended]);
    }
  }

  /** Ends it, whatever it is doing. */
  async stop(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended.catch(() => undefined);
  }

  private waits(pipe: number): void {
    this.waiting.add(pipe);
    this.lastMove = performance.now();
  }

  private goesOn(pipe: number): void {
    this.waiting.delete(pipe);
    this.lastMove = performance.now();
  }

  private watch(): Promise<never> {
    const child = this.child;
    const started = performance.now();
    child.on('message', (message) => {
      this.lastMove = performance.now();
      this.messages.push(message as Message);
      this.wake();
    });
    child.stderr?.on('data', (text: Buffer) => (this.errors = (this.errors + text.toString()).slice(-KEPT_ERROR)));
    const check = setInterval(
      () => {
        const now = performance.now();
        if (this.waiting.size === 0 && now - this.lastMove > this.limits.silenceMs)
          this.kill(`it made no progress for ${Math.round(this.limits.silenceMs / 1000)} s`);
        else if (now - started > this.limits.totalMs)
          this.kill(`it took longer than ${Math.round(this.limits.totalMs / 1000)} s`);
      },
      Math.min(1000, this.limits.silenceMs),
    );
    check.unref();
    const memory = setInterval(() => void this.checkMemory(), MEMORY_CHECK_MS);
    memory.unref();
    const stopChecks = () => {
      clearInterval(check);
      clearInterval(memory);
    };
    return new Promise((_resolve, reject) => {
      child.once('error', (error) => {
        stopChecks();
        reject(
          error.name === 'AbortError'
            ? error
            : new ChildDiedError(`it cannot be started: ${withoutPaths(error.message)}`),
        );
      });
      // Not `exit`: messages may still arrive until the pipes and the channel are closed.
      const closed = new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
        child.once('close', (code, signal) => resolve([code, signal])),
      );
      const disconnected = new Promise<void>((resolve) => child.once('disconnect', resolve));
      void Promise.all([closed, disconnected]).then(([how]) => {
        stopChecks();
        reject(
          NO_ROOM.test(this.errors)
            ? new NoRoomError('no room left on the disk')
            : new ChildDiedError(this.cause(...how)),
        );
      });
    });
  }

  private async checkMemory(): Promise<void> {
    const status = await readFile(`/proc/${this.child.pid}/status`, 'utf8').catch(() => '');
    const resident = Number(/^VmRSS:\s*(\d+) kB/m.exec(status)?.[1] ?? 0);
    if (resident > this.limits.memoryMiB * 1024)
      this.kill(`it needed more than ${this.limits.memoryMiB} MiB of memory`);
  }

  private kill(reason: string): void {
    this.killedFor = reason;
    this.child.kill('SIGKILL');
  }

  private cause(code: number | null, signal: NodeJS.Signals | null): string {
    if (this.killedFor !== null) return this.killedFor;
    if (/heap out of memory/.test(this.errors)) return `it needed more than ${this.limits.heapMiB} MiB of memory`;
    return signal ? `it was ended by ${signal}` : `it ended with code ${code}`;
  }
}

function stepBack(pid: number): void {
  writeFile(`/proc/${pid}/oom_score_adj`, OOM_SCORE).catch(() => undefined);
  try {
    setPriority(pid, Math.min(NICE, constants.priority.PRIORITY_LOW));
  } catch {
    // Ended already, or the platform forbids it: it then runs unchanged.
  }
}
