import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { FrameError, readFrames, writeFrame } from './frames.js';
import { LogTail } from './log-tail.js';
import { isFromEngine, PROTOCOL, type FromEngine, type Hello, type ToEngine } from './messages.js';

export interface EngineProcessOptions {
  readonly command: readonly [file: string, ...args: string[]];
  readonly environment: NodeJS.ProcessEnv;
  /** The process's working directory. */
  readonly directory: string;
  /**
   * Called with each message, heartbeats included. Nothing more is read until it resolves; an error from it ends the
   * process.
   */
  readonly onMessage: (message: FromEngine) => void | Promise<void>;
  /** Milliseconds until its hello; torch takes seconds to load, and a minute on a busy machine. */
  readonly startMs?: number;
  /** Milliseconds without a message, heartbeats included, after which it hangs. */
  readonly silenceMs?: number;
}

/** Starts a process whose messages go to the handler. @throws EngineDiedError */
export type StartEngine = (onMessage: EngineProcessOptions['onMessage']) => Promise<EngineProcess>;

/** File descriptors of the child: it reads messages from one and writes them to the other. */
const PIPES = { toEngine: 3, fromEngine: 4 } as const;
const START_MS = 300_000;
const SILENCE_MS = 30_000;
const MAX_CHECK_MS = 1_000;
const PIPES_CLOSE_MS = 5_000;

/** The process ended unexpectedly, or cannot be used. The message includes how, and its last output. */
export class EngineDiedError extends Error {
  override readonly name = 'EngineDiedError';
  constructor(
    message: string,
    /** Last lines that the process wrote, the oldest first. */
    readonly log: readonly string[],
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * A process of an engine (Python, or Node for llama.cpp) that speaks the runner's protocol: frames over two pipes,
 * first its hello. It is killed when it is silent for too long. Its outputs are a log, and the last lines are kept. It ends by itself when the runner dies.
 */
export class EngineProcess {
  /** Resolves once all of its messages were handled: to null if it was asked to end, else to the reason. Never rejects. */
  readonly ended: Promise<EngineDiedError | null>;
  private readonly child: ChildProcess;
  private readonly log = new LogTail();
  /** Consecutive checks without a message. A machine that sleeps makes no checks. */
  private silentChecks = 0;
  /** While a message is handled here, silence does not count. */
  private handling = false;
  private greeted: Hello | null = null;
  private stopping = false;
  private killedFor: { readonly why: string; readonly cause?: unknown } | null = null;
  private greet: (hello: Hello) => void = () => undefined;

  private constructor(private readonly options: EngineProcessOptions) {
    const [file, ...args] = options.command;
    this.child = spawn(file, args, {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
      env: options.environment,
      cwd: options.directory,
    });
    this.log.read(this.child.stdout!);
    this.log.read(this.child.stderr!);
    // A process that has ended receives no message; `ended` reports its end.
    this.toEngine.on('error', () => undefined);
    this.ended = this.watch();
  }

  /** Starts it. Resolves at its hello. @throws EngineDiedError, also for a protocol of another version */
  static async start(options: EngineProcessOptions): Promise<EngineProcess> {
    const started = new EngineProcess(options);
    const greeting = new Promise<Hello>((resolve) => (started.greet = resolve));
    const first = await Promise.race([greeting, started.ended]);
    if (first === null) throw new EngineDiedError('it ended before it said hello', started.log.lines);
    if (first instanceof EngineDiedError) throw first;
    return started;
  }

  get hello(): Hello {
    return this.greeted!;
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /**
   * Resolves once the pipe has accepted the message.
   * @throws EngineDiedError when the process has ended; FrameError
   */
  async send(message: ToEngine): Promise<void> {
    try {
      await writeFrame(this.toEngine, message);
    } catch (error) {
      if (error instanceof FrameError) throw error;
      throw (await this.ended) ?? new EngineDiedError('it was stopped', this.log.lines);
    }
  }

  /** Asks it to end, and kills it when it takes longer. */
  async stop(graceMs: number): Promise<void> {
    this.stopping = true;
    writeFrame(this.toEngine, { type: 'stop' }).catch(() => undefined);
    this.toEngine.end();
    const timer = setTimeout(() => this.child.kill('SIGKILL'), graceMs);
    await this.ended;
    clearTimeout(timer);
  }

  private get toEngine(): Writable {
    return this.child.stdio[PIPES.toEngine] as Writable;
  }

  private async watch(): Promise<EngineDiedError | null> {
    const closed = new Promise<string>((resolve) => {
      this.child.once('error', ({ message }) => resolve(`it cannot be started: ${message}`));
      // Not `exit`: messages may still arrive until the pipes are closed.
      this.child.once('close', (code, signal) =>
        resolve(signal ? `it was ended by ${signal}` : `it ended with code ${code}`),
      );
    });
    this.child.once('exit', () => this.closePipesSoon());
    const check = this.checkSilence();
    await this.readAll();
    const how = await closed;
    clearInterval(check);
    if (this.stopping) return null;
    const { why, cause } = this.killedFor ?? { why: how };
    return new EngineDiedError(this.told(why), this.log.lines, { cause });
  }

  /** A process that it started may hold the pipes open. */
  private closePipesSoon(): void {
    const timer = setTimeout(() => this.child.stdio.forEach((pipe) => pipe?.destroy()), PIPES_CLOSE_MS);
    this.child.once('close', () => clearTimeout(timer));
  }

  private checkSilence(): NodeJS.Timeout {
    const { startMs = START_MS, silenceMs = SILENCE_MS } = this.options;
    const every = Math.min(MAX_CHECK_MS, silenceMs, startMs);
    return setInterval(() => {
      this.silentChecks = this.handling ? 0 : this.silentChecks + 1;
      const limit = this.greeted ? silenceMs : startMs;
      if (this.silentChecks * every > limit) this.kill(`it gave no sign of life for ${Math.round(limit / 1_000)} s`);
    }, every);
  }

  /** Reads until its pipe ends. A violation of the protocol ends the process. */
  private async readAll(): Promise<void> {
    try {
      for await (const message of readFrames(this.child.stdio[PIPES.fromEngine] as Readable)) {
        this.silentChecks = 0;
        if (this.greeted === null) this.hearHello(message as Hello);
        else if (!isFromEngine(message)) throw new Error(`it sent a message of an unknown type, ${message.type}`);
        else await this.handle(message);
      }
    } catch (error) {
      this.kill((error as Error).message, error);
    }
  }

  private hearHello(hello: Hello): void {
    if (hello.type !== 'hello') throw new Error(`its first message is ${hello.type} instead of a hello`);
    if (hello.protocol !== PROTOCOL)
      throw new Error(`it speaks protocol ${hello.protocol}, and the runner ${PROTOCOL}: install the engine again`);
    this.greeted = hello;
    this.greet(hello);
  }

  private async handle(message: FromEngine): Promise<void> {
    this.handling = true;
    try {
      await this.options.onMessage(message);
    } finally {
      this.handling = false;
      this.silentChecks = 0;
    }
  }

  private kill(why: string, cause?: unknown): void {
    this.killedFor ??= { why, cause };
    this.child.kill('SIGKILL');
  }

  private told(why: string): string {
    const last = this.log.lines.at(-1);
    return last === undefined ? why : `${why}; the last line of its log is: ${last}`;
  }
}

/** Sends a message to a process whose end is awaited besides: `ended` tells why it takes none. @throws FrameError */
export async function sendUnlessLost(to: EngineProcess, message: ToEngine): Promise<void> {
  try {
    await to.send(message);
  } catch (error) {
    if (!(error instanceof EngineDiedError)) throw error;
  }
}
