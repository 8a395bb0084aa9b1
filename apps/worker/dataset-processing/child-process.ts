import { fork, type ChildProcess } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { PIPES, type ChildMessage, type ProcessingJob } from './protocol.js';

export interface ChildLimits {
  readonly heapMiB: number;
  /** Without a byte moved or a word said, it hangs; but not while the object store is what is waited for. */
  readonly silenceMs: number;
  readonly totalMs: number;
}

const CHILD = fileURLToPath(new URL('./child.js', import.meta.url));
const BUILD = fileURLToPath(new URL('../../../', import.meta.url));
const PROJECT = fileURLToPath(new URL('../../../../', import.meta.url));
const NICE = 10;
const KEPT_ERROR = 4096;

/** The child ended without a verdict: a crash, a kill, or it was stopped for hanging. The message says which. */
export class ChildDiedError extends Error {
  override readonly name = 'ChildDiedError';
}

/**
 * One child that reads one file. It may read the program and nothing else (Node's permission model), inherits no
 * environment, has a bounded heap and yields to everything else on the machine.
 */
export class FileReaderProcess {
  readonly #child: ChildProcess;
  readonly #limits: ChildLimits;
  readonly #messages: ChildMessage[] = [];
  readonly #ended: Promise<never>;
  #wake: () => void = () => undefined;
  #lastMove = performance.now();
  /** The pipes at whose other end the object store keeps this one waiting. */
  readonly #waiting = new Set<number>();
  #killedFor: string | null = null;
  #errors = '';

  constructor(job: ProcessingJob, limits: ChildLimits, signal: AbortSignal) {
    this.#limits = limits;
    this.#child = fork(CHILD, [], {
      stdio: ['pipe', 'ignore', 'pipe', 'ipc', 'pipe', 'pipe'],
      env: {},
      execArgv: [
        '--disable-warning=ExperimentalWarning',
        `--max-old-space-size=${limits.heapMiB}`,
        '--permission',
        `--allow-fs-read=${BUILD}`,
        `--allow-fs-read=${PROJECT}node_modules/`,
        `--allow-fs-read=${PROJECT}package.json`,
      ],
      signal,
      killSignal: 'SIGKILL',
      serialization: 'json',
    });
    this.#ended = this.#watch();
    // Whoever waits for it gets it; nobody may be waiting yet.
    this.#ended.catch(() => undefined);
    if (this.#child.pid !== undefined) lowerPriority(this.#child.pid);
    this.#child.send(job);
  }

  /**
   * Feeds the uploaded file. A child that has heard enough closes the pipe, which is no error; its verdict says why.
   * @throws what the source threw
   */
  feedSource(source: AsyncIterable<Uint8Array>): Promise<void> {
    return this.#feed(source, PIPES.source);
  }

  feedStored(rows: AsyncIterable<Uint8Array>): Promise<void> {
    return this.#feed(rows, PIPES.stored);
  }

  /** What the child writes. */
  async *rows(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of this.#child.stdio[PIPES.rows] as Readable) {
        this.#waits(PIPES.rows);
        yield chunk as Buffer;
        this.#goesOn(PIPES.rows);
      }
    } finally {
      this.#goesOn(PIPES.rows);
    }
  }

  /** The child's next message. @throws ChildDiedError when it ends without one */
  async next(): Promise<ChildMessage> {
    for (;;) {
      const message = this.#messages.shift();
      if (message) return message;
      const spoken = new Promise<void>((resolve) => (this.#wake = resolve));
      await Promise.race([spoken, this.#ended]);
    }
  }

  /** Ends it, whatever it is doing. */
  async stop(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended.catch(() => undefined);
  }

  async #feed(source: AsyncIterable<Uint8Array>, pipe: number): Promise<void> {
    const [waits, goesOn] = [() => this.#waits(pipe), () => this.#goesOn(pipe)];
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
      await pipeline(counted(), this.#child.stdio[pipe] as Writable);
    } catch {
      // To the child a source that broke looks like one that ended: its verdict must not count.
      if (broken.error) throw broken.error;
    }
  }

  #waits(pipe: number): void {
    this.#waiting.add(pipe);
    this.#lastMove = performance.now();
  }

  #goesOn(pipe: number): void {
    this.#waiting.delete(pipe);
    this.#lastMove = performance.now();
  }

  #watch(): Promise<never> {
    const child = this.#child;
    const started = performance.now();
    child.on('message', (message) => {
      this.#lastMove = performance.now();
      this.#messages.push(message as ChildMessage);
      this.#wake();
    });
    child.stderr?.on('data', (text: Buffer) => (this.#errors = (this.#errors + text.toString()).slice(-KEPT_ERROR)));
    const check = setInterval(
      () => {
        const now = performance.now();
        if (this.#waiting.size === 0 && now - this.#lastMove > this.#limits.silenceMs)
          this.#kill(`it made no progress for ${Math.round(this.#limits.silenceMs / 1000)} s`);
        else if (now - started > this.#limits.totalMs)
          this.#kill(`it took longer than ${Math.round(this.#limits.totalMs / 1000)} s`);
      },
      Math.min(1000, this.#limits.silenceMs),
    );
    check.unref();
    return new Promise((_resolve, reject) => {
      child.once('error', (error) => {
        clearInterval(check);
        reject(error.name === 'AbortError' ? error : new ChildDiedError(`it cannot be started: ${error.message}`));
      });
      // Not `exit`: only when its pipes and its channel are closed have its last words been heard.
      const closed = new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
        child.once('close', (code, signal) => resolve([code, signal])),
      );
      const disconnected = new Promise<void>((resolve) => child.once('disconnect', resolve));
      void Promise.all([closed, disconnected]).then(([how]) => {
        clearInterval(check);
        reject(new ChildDiedError(this.#cause(...how)));
      });
    });
  }

  #kill(reason: string): void {
    this.#killedFor = reason;
    this.#child.kill('SIGKILL');
  }

  #cause(code: number | null, signal: NodeJS.Signals | null): string {
    if (this.#killedFor !== null) return this.#killedFor;
    if (/heap out of memory/.test(this.#errors)) return `it needed more than ${this.#limits.heapMiB} MiB of memory`;
    return signal ? `it was ended by ${signal}` : `it ended with code ${code}`;
  }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, Math.min(NICE, constants.priority.PRIORITY_LOW));
  } catch {
    // Gone already, or the platform forbids it: it then runs as it is.
  }
}
