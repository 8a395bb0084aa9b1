import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { ShortLived } from '../memory/short-lived.js';
import type { CallsMessage, ClonedError, ServiceToStart, ThreadMessage, ThreadStart } from './protocol.js';

export type { ServiceToStart } from './protocol.js';

/**
 * MB of a half of the young generation, of threads that start from now on. A thread keeps hardly anything of a message that it has
 * answered, and projections only their batch, so a larger young generation saves no work. The main thread keeps what the command line gave it.
 */
setFlagsFromString('--max-semi-space-size=8');

/** A group of calls that a service answered together. */
export interface GroupSample {
  readonly service: string;
  readonly calls: number;
  /** Time the thread took for the whole group. */
  readonly ms: number;
}

interface ThreadOptions {
  /** Shown by debuggers and in errors. */
  readonly name?: string;
  /** Called for every group of answers, for metrics. */
  readonly onGroup?: (group: GroupSample) => void;
  /** Called when the thread ends without having been closed. Calls fail from then on. */
  readonly onFailure?: (error: Error) => void;
}

/**
 * Starts a thread in which the services live, each with its own connections. Resolves once all of them have started.
 * @throws ThreadCallError what a service threw as it started
 */
export async function startThread(services: readonly ServiceToStart[], options: ThreadOptions = {}): Promise<Thread> {
  const thread = new Thread(services, options);
  await thread.started;
  return thread;
}

interface PendingCall {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/** The calling side. Calls of one event-loop turn travel in one message, and so do the answers of one group. */
export class Thread {
  /** @internal */
  readonly started: Promise<void>;
  private readonly worker: Worker;
  private readonly exited: Promise<void>;
  private readonly indexes: ReadonlyMap<string, number>;
  private readonly pending = new ShortLived<PendingCall>();
  private readonly listeners = new Set<{ service: string; topic: string; listener: (message: never) => void }>();
  private outgoing: unknown[] = [];
  private hasStarted = false;
  private closing = false;
  private stopped: Error | null = null;

  /** Use `startThread`. @internal */
  constructor(
    private readonly services: readonly ServiceToStart[],
    private readonly options: ThreadOptions,
  ) {
    this.indexes = new Map(services.map(({ name }, index) => [name, index]));
    const name = options.name ?? 'thread';
    const workerData: ThreadStart = { services };
    this.worker = new Worker(new URL('./worker.js', import.meta.url), { workerData, name });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.started = promise;
    this.worker.on('message', (message: ThreadMessage) => {
      switch (message.kind) {
        case 'answers':
          return this.answer(message.service, message.answers, message.ms);
        case 'emitted':
          return this.hear(message.service, message.topic, message.message);
        case 'ready':
          this.hasStarted = true;
          return resolve();
        case 'failed':
          return reject(new ThreadCallError(message.error));
      }
    });
    this.worker.on('error', (error) => {
      const stopped = new ThreadStoppedError(`the ${name} thread failed: ${(error as Error).message}`, {
        cause: error,
      });
      reject(stopped);
      this.stop(stopped);
    });
    this.exited = new Promise((exited) => {
      this.worker.on('exit', () => {
        this.stop(new ThreadStoppedError(`the ${name} thread has ended`));
        reject(this.stopped!);
        exited();
      });
    });
  }

  /**
   * @throws ThreadCallError what the service threw, with its name, code and fields
   * @throws ThreadStoppedError when the thread has ended; `sent` says whether the call may have been carried out
   * @throws DataCloneError when the arguments cannot be handed to a thread
   */
  call<Result>(service: string, method: string, args: readonly unknown[]): Promise<Result> {
    const index = this.indexes.get(service);
    if (index === undefined) return Promise.reject(new Error(`this thread has no service ${service}`));
    if (this.stopped) return Promise.reject(new ThreadStoppedError(this.stopped.message, { cause: this.stopped }));
    return new Promise<Result>((resolve, reject) => {
      const id = this.pending.add({ resolve, reject });
      if (this.outgoing.length === 0) setImmediate(() => this.flush());
      this.outgoing.push(id, index, method, args);
    });
  }

  /**
   * Listens to a service's messages.
   * @returns a function that stops listening
   */
  listen<Message>(service: string, topic: string, listener: (message: Message) => void): () => void {
    const entry = { service, topic, listener: listener as (message: never) => void };
    this.listeners.add(entry);
    return () => this.listeners.delete(entry);
  }

  /** Lets the calls made so far be answered, closes the services, last first, and ends the thread. */
  async close(): Promise<void> {
    this.closing = true;
    if (!this.stopped) {
      this.flush();
      this.post({ kind: 'close' });
    }
    await this.exited;
  }

  private flush(): void {
    if (this.outgoing.length === 0) return;
    const calls = this.outgoing;
    this.outgoing = [];
    try {
      this.post({ kind: 'calls', calls });
    } catch {
      // A call whose arguments cannot be cloned is posted alone, so that it does not fail the others.
      for (let at = 0; at < calls.length; at += 4) this.postAlone(calls.slice(at, at + 4));
    }
  }

  private postAlone(call: readonly unknown[]): void {
    try {
      this.post({ kind: 'calls', calls: call });
    } catch (error) {
      this.pending.take(call[0] as number)?.reject(error as Error);
    }
  }

  private post(message: CallsMessage): void {
    if (!this.stopped) this.worker.postMessage(message);
  }

  private answer(service: number, answers: readonly unknown[], ms: number): void {
    for (let at = 0; at < answers.length; at += 3) {
      const call = this.pending.take(answers[at] as number);
      if (answers[at + 1] === true) call?.resolve(answers[at + 2] as never);
      else call?.reject(new ThreadCallError(answers[at + 2] as ClonedError));
    }
    this.options.onGroup?.({ service: this.services[service]!.name, calls: answers.length / 3, ms });
  }

  private hear(index: number, topic: string, message: unknown): void {
    const service = this.services[index]!.name;
    for (const entry of this.listeners) {
      if (entry.service === service && entry.topic === topic) entry.listener(message as never);
    }
  }

  private stop(error: ThreadStoppedError): void {
    if (this.stopped) return;
    this.stopped = error;
    if (this.hasStarted && !this.closing) this.options.onFailure?.(error);
    for (const call of this.pending.clear()) call.reject(new ThreadStoppedError(error.message, { cause: error }, true));
  }
}

/** An error of a service, on the calling side. */
export class ThreadCallError extends Error {
  override readonly name = 'ThreadCallError';
  /** The thrown error's name, code (null for none) and own fields. */
  readonly errorName: string;
  readonly code: string | null;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(error: ClonedError) {
    super(error.message);
    this.errorName = error.name;
    this.code = error.code;
    this.details = error.details;
    if (error.stack) this.stack = error.stack;
  }
}

/** The thread has ended: by `close`, or because it failed. */
export class ThreadStoppedError extends Error {
  override readonly name = 'ThreadStoppedError';
  constructor(
    message: string,
    options?: ErrorOptions,
    /** Whether the call was sent: if so, it may have been executed. */
    readonly sent = false,
  ) {
    super(message, options);
  }
}
