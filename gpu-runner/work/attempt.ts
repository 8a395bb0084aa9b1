import { fork, type ChildProcess } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Bus } from '#ports/bus/port.js';
import type { Checkpoint, LossCause } from '#domain/training-job/index.js';
import type { ObjectStoreAddress } from '#ports/object-store/open.js';
import { traced } from '#primitives/tracing/index.js';
import { UNREPORTED, type Background } from '#primitives/background/background.js';
import { isOutOfRoom } from '#ports/object-store/out-of-room.js';
import { idOfWork, type AttemptRef, type WorkProgress, type Work } from '#gpu-runner/contract/work.js';
import { Reports } from './reports.js';
import { Watchdog, type Watch } from './watchdog.js';
import type { ChildSetup, FromChild, ToChild } from './messages.js';
import { nameOfUnforeseen } from './unforeseen.js';

interface AttemptOptions {
  readonly bus: Bus;
  readonly runnerId: string;
  /** W3C trace context that its span continues. */
  readonly traceparent?: string | undefined;
  readonly setup: Omit<ChildSetup, 'directory'>;
  readonly workDirectory: string;
  /** Heap of the process, in MiB. */
  readonly heapMiB: number;
  /** Milliseconds for a process to stop by itself. */
  readonly graceMs: number;
  /** Milliseconds without any message after which the process counts as hung. */
  readonly silenceMs: number;
  /** Default: a timer of this process. */
  readonly watch?: Watch | undefined;
  readonly background?: Background | undefined;
}

const ENTRIES = {
  training: fileURLToPath(new URL('./training-child.js', import.meta.url)),
  evaluation: fileURLToPath(new URL('./evaluation-child.js', import.meta.url)),
  export: fileURLToPath(new URL('./export-child.js', import.meta.url)),
} as const;

/**
 * A claimed attempt, in its own process at low priority, which is killed when it hangs. Every end of the process is
 * reported.
 */
export class Attempt {
  readonly ref: AttemptRef;
  /** Resolves when the process has ended and everything is reported. */
  readonly done: Promise<void>;
  progress: WorkProgress = { fraction: 0, epoch: 0, step: 0 };
  private readonly reports: Reports;
  private child: ChildProcess | null = null;
  private stopping: 'unwanted' | 'shutdown' | null = null;
  private readonly stopped = new AbortController();
  /** The error if the process ran out of room; else null. */
  private noRoom: string | null = null;
  private latest: Checkpoint | null = null;
  /** Time of the last stored checkpoint, in monotonic ms. */
  private progressSince = 0;
  private ended = false;

  constructor(
    private readonly work: Work,
    private readonly options: AttemptOptions,
  ) {
    this.ref = { id: idOfWork(work), attempt: work.attempt };
    const { bus, runnerId, traceparent, background } = options;
    const sender = { runnerId, ...(traceparent !== undefined && { traceparent }) };
    this.reports = new Reports(bus, work.kind, this.ref, sender, () => this.stop('unwanted'), background);
    this.done = this.run();
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Asks the process to stop, which may still store a checkpoint; kills it when it takes too long. */
  stop(why: 'unwanted' | 'shutdown'): void {
    if (this.stopping) return;
    this.stopping = why;
    this.stopped.abort();
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    tell(child, { kind: 'stop' });
    const timer = setTimeout(() => child.kill('SIGKILL'), this.options.graceMs);
    child.once('exit', () => clearTimeout(timer));
  }

  /** Waits here while the disk is full: other work of this runner would meet it too. */
  private async run(): Promise<void> {
    const { workDirectory, graceMs, traceparent } = this.options;
    const directory = join(workDirectory, `${this.work.kind}-${this.ref.id}-${this.ref.attempt}`);
    const outage = new Outage(this.stopped.signal);
    try {
      const attributes = { 'anneal.job.id': this.ref.id, 'anneal.job.attempt': this.ref.attempt };
      const start = { attributes, carrier: { traceparent } };
      let end = await traced(`run ${this.work.kind}`, start, () => this.attemptIn(directory));
      while (end.cause === 'storage' && !this.stopping && outage.goesOn(this.progressSince)) {
        if (outage.isNew) this.warn(`There is ${end.reason}; waiting until there is some`);
        await outage.wait();
        if (!this.stopping) end = await this.attemptIn(directory);
      }
      this.afterProcess(end);
    } finally {
      await this.reports.drained(this.stopping === 'shutdown' ? graceMs : undefined);
    }
  }

  /** @returns how its process ended, once all its messages have been received */
  private async attemptIn(directory: string): Promise<End> {
    const { setup, heapMiB, background = UNREPORTED } = this.options;
    this.noRoom = null;
    try {
      await mkdir(directory, { recursive: true });
      await requireRoom(directory);
      if (this.stopping) return { reason: 'was not started', cause: 'runner' };
      this.child = startProcess(ENTRIES[this.work.kind], heapMiB, setup.objectStore);
      const gone = this.listen(this.child);
      tell(this.child, { kind: 'start', work: this.resumed(), setup: { ...setup, directory } });
      const end = await gone;
      return this.noRoom === null ? end : { reason: this.noRoom, cause: 'storage' };
    } catch (error) {
      return notStarted(error);
    } finally {
      await background.once('remove-attempt-folder', rm(directory, { recursive: true, force: true }));
    }
  }

  /** The work of the next process: from the last checkpoint on that an earlier process of this attempt has stored. */
  private resumed(): Work {
    return this.work.kind === 'training' && this.latest !== null ? { ...this.work, resume: this.latest } : this.work;
  }

  private warn(message: string): void {
    this.reports.log.add({ timestamp: new Date().toISOString(), level: 'warn', message, source: 'runner' });
  }

  /** @returns how the process ended, once all its messages have been received */
  private listen(child: ChildProcess): Promise<End> {
    const { silenceMs, heapMiB, watch = byTimer } = this.options;
    let isHung = false;
    const watchdog = watch(silenceMs, () => {
      isHung = true;
      child.kill('SIGKILL');
    });
    child.on('message', (message: FromChild) => {
      watchdog.heard();
      this.hear(message);
    });
    const gone = new Promise<End>((resolve) => {
      child.once('error', (error) => resolve(notStarted(error)));
      child.once('exit', (code, signal) => resolve(isHung ? hung(silenceMs) : describeEnd(code, signal, heapMiB)));
    }).finally(() => watchdog.stop());
    const silent = new Promise<void>((resolve) => {
      if (child.connected) child.once('disconnect', resolve);
      else resolve();
    });
    return Promise.all([gone, silent]).then(([how]) => how);
  }

  private hear(message: FromChild): void {
    if (message.kind === 'working') return;
    if (message.kind === 'progress') this.progress = message.progress;
    else if (message.kind === 'log') this.reports.log.add(message.line);
    else {
      const { report } = message;
      if (report.kind === 'lost' && report.cause === 'storage') return void (this.noRoom = report.reason);
      if (report.kind === 'checkpoint') {
        this.latest = report.checkpoint;
        this.progressSince = performance.now();
      } else if (report.kind !== 'epoch') this.ended = true;
      this.reports.send(report);
    }
  }

  /** Reports an unwanted attempt too: only then has it stored its last file. */
  private afterProcess({ reason, cause }: End): void {
    if (this.ended) return;
    const orderly = this.stopping !== null;
    if (orderly) {
      const why = this.stopping === 'shutdown' ? 'the runner was shut down' : 'it was stopped';
      return this.reports.send({ kind: 'lost', reason: why, orderly, cause: 'runner' });
    }
    const told = cause === 'storage' ? reason : `the ${this.work.kind} process ${reason}`;
    this.reports.send({ kind: 'lost', reason: told, orderly, cause });
  }
}

/** The end of a process without a result. */
interface End {
  /** A description for people. */
  readonly reason: string;
  readonly cause: LossCause;
}

const MAX_OUTAGE_MS = 3_600_000;
const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 30_000;

/** An outage by a full disk, which ends with the first progress after it. */
class Outage {
  private since = -Infinity;
  private waitMs = FIRST_WAIT_MS;

  constructor(private readonly stopped: AbortSignal) {}

  get isNew(): boolean {
    return this.waitMs === FIRST_WAIT_MS;
  }

  /** Whether to keep waiting: at most an hour without progress. */
  goesOn(progressSince: number): boolean {
    if (progressSince > this.since) {
      this.since = performance.now();
      this.waitMs = FIRST_WAIT_MS;
    }
    return performance.now() - this.since < MAX_OUTAGE_MS;
  }

  async wait(): Promise<void> {
    await sleep(this.waitMs, undefined, { signal: this.stopped }).catch(() => undefined);
    this.waitMs = Math.min(2 * this.waitMs, MAX_WAIT_MS);
  }
}

/** Bytes that must be free before a process starts: it would soon find the disk full, and its computation would be lost. */
const ROOM_BYTES = 1024 * 1024;

async function requireRoom(directory: string): Promise<void> {
  const probe = join(directory, 'room');
  await writeFile(probe, Buffer.alloc(ROOM_BYTES));
  await rm(probe);
}

/** Passes on only the environment that the process needs: none of the installation's settings or secrets. */
function startProcess(entry: string, heapMiB: number, objectStore: ObjectStoreAddress): ChildProcess {
  const child = fork(entry, {
    execArgv: [`--max-old-space-size=${heapMiB}`, '--disable-warning=ExperimentalWarning'],
    env: environmentFor(objectStore),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  try {
    if (child.pid !== undefined) setPriority(child.pid, 10);
  } catch {
    // The process has already ended; its 'exit' event tells how.
  }
  return child;
}

/** Variables by which engines find programs, temporary files and GPUs. */
const FOR_ENGINES = ['PATH', 'TMPDIR', 'LD_LIBRARY_PATH', 'CUDA_VISIBLE_DEVICES', 'CUDA_DEVICE_ORDER'];

/**
 * Credentials of an object store are found where its client looks for them: variables, or a profile in the home folder.
 */
function environmentFor({ kind }: ObjectStoreAddress): NodeJS.ProcessEnv {
  const wanted = ([name]: readonly [string, unknown]) =>
    FOR_ENGINES.includes(name) ||
    (kind === 's3' && (name.startsWith('AWS_') || ['HOME', 'NODE_EXTRA_CA_CERTS'].includes(name)));
  return Object.fromEntries(Object.entries(process.env).filter(wanted));
}

function tell(child: ChildProcess, message: ToChild): void {
  // A process that has ended receives nothing; its 'exit' event reports it.
  if (child.connected) child.send(message, () => undefined);
}

/** The code is enough: the message holds paths. */
const notStarted = (error: unknown): End =>
  isOutOfRoom(error)
    ? { reason: nameOfUnforeseen(error), cause: 'storage' }
    : {
        reason: `could not be started (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`,
        cause: 'runner',
      };

const byTimer: Watch = (silenceMs, onSilence) => new Watchdog(silenceMs, onSilence);

const hung = (silenceMs: number): End => ({
  reason: `made no progress for ${Math.round(silenceMs / 1000)} s`,
  cause: 'child',
});

/** Signals that end a whole system or terminal, children included: a process does not bring them on itself. */
const FROM_OUTSIDE = new Set<NodeJS.Signals>(['SIGTERM', 'SIGINT', 'SIGHUP']);

function describeEnd(code: number | null, signal: NodeJS.Signals | null, heapMiB: number): End {
  const cause = signal && FROM_OUTSIDE.has(signal) ? 'runner' : 'child';
  if (signal === 'SIGABRT' || code === 134)
    return { reason: `ran out of memory (its heap is limited to ${heapMiB} MiB)`, cause };
  if (signal) return { reason: `was ended by ${signal}`, cause };
  return { reason: code === 0 ? 'ended without a result' : `ended with exit code ${code}`, cause };
}
