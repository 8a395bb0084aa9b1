import { fork, type ChildProcess } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bus } from '#bus/port.js';
import type { ObjectStoreAddress } from '#object-store/open.js';
import type { AttemptRef, Progress, Work } from './protocol.js';
import { Reports } from './reports.js';
import type { ChildSetup, FromChild, ToChild } from './work/messages.js';

export interface AttemptOptions {
  readonly bus: Bus;
  readonly runnerId: string;
  readonly setup: Omit<ChildSetup, 'directory'>;
  readonly workDirectory: string;
  /** Heap of the process, in MiB. */
  readonly heapMiB: number;
  /** How long a process may take to stop by itself. */
  readonly graceMs: number;
}

const ENTRIES = {
  training: fileURLToPath(new URL('./training-child.js', import.meta.url)),
  evaluation: fileURLToPath(new URL('./evaluation-child.js', import.meta.url)),
} as const;

/** One claimed attempt, in a process of its own at low priority. Whatever becomes of the process is reported. */
export class Attempt {
  readonly ref: AttemptRef;
  /** Resolves when the process is gone and all has been reported. */
  readonly done: Promise<void>;
  progress: Progress = { fraction: 0, epoch: 0, step: 0 };
  private readonly reports: Reports;
  private child: ChildProcess | null = null;
  private stopping: 'unwanted' | 'shutdown' | null = null;
  private ended = false;

  constructor(
    private readonly work: Work,
    private readonly options: AttemptOptions,
  ) {
    const id = work.kind === 'training' ? work.request.jobId : work.request.evaluationId;
    this.ref = { id, attempt: work.attempt };
    this.reports = new Reports(options.bus, work.kind, this.ref, options.runnerId, () => this.stop('unwanted'));
    this.done = this.run();
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Asks the process to stop, which may still store a checkpoint; kills it when it takes too long. */
  stop(why: 'unwanted' | 'shutdown'): void {
    if (this.stopping) return;
    this.stopping = why;
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    tell(child, { kind: 'stop' });
    const timer = setTimeout(() => child.kill('SIGKILL'), this.options.graceMs);
    child.once('exit', () => clearTimeout(timer));
  }

  private async run(): Promise<void> {
    const { workDirectory, setup, heapMiB } = this.options;
    const directory = join(workDirectory, `${this.work.kind}-${this.ref.id}-${this.ref.attempt}`);
    try {
      await mkdir(directory, { recursive: true });
      if (!this.stopping) {
        this.child = startProcess(ENTRIES[this.work.kind], heapMiB, setup.objectStore);
        const gone = this.listen(this.child);
        tell(this.child, { kind: 'start', work: this.work, setup: { ...setup, directory } });
        this.afterProcess(await gone);
      } else this.afterProcess('was not started');
    } catch (error) {
      this.afterProcess(notStarted(error));
    } finally {
      await rm(directory, { recursive: true, force: true }).catch(() => undefined);
      await this.reports.drained(this.stopping === 'shutdown' ? this.options.graceMs : undefined);
    }
  }

  /** @returns how the process ended, once everything that it said has been heard */
  private listen(child: ChildProcess): Promise<string> {
    child.on('message', (message: FromChild) => this.hear(message));
    const gone = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(notStarted(error)));
      child.once('exit', (code, signal) => resolve(describeEnd(code, signal, this.options.heapMiB)));
    });
    const silent = new Promise<void>((resolve) => {
      if (child.connected) child.once('disconnect', resolve);
      else resolve();
    });
    return Promise.all([gone, silent]).then(([how]) => how);
  }

  private hear(message: FromChild): void {
    if (message.kind === 'progress') this.progress = message.progress;
    else if (message.kind === 'log') this.reports.log.add(message.line);
    else {
      const { kind } = message.report;
      if (kind !== 'epoch' && kind !== 'checkpoint') this.ended = true;
      this.reports.send(message.report);
    }
  }

  /** One that was not wanted any more says so too: only then has it stored the last that it will store. */
  private afterProcess(how: string): void {
    if (this.ended) return;
    const reason =
      this.stopping === 'shutdown'
        ? 'the runner was shut down'
        : this.stopping === 'unwanted'
          ? 'it was stopped'
          : `the ${this.work.kind} process ${how}`;
    this.reports.send({ kind: 'lost', reason, orderly: this.stopping !== null });
  }
}

/** With no environment but what it needs: no setting of the installation, and none of its secrets, reaches the process. */
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
    // It has ended already; 'exit' tells.
  }
  return child;
}

/** Credentials of an object store are found where its client looks for them: variables, or a profile at home. */
function environmentFor({ kind }: ObjectStoreAddress): NodeJS.ProcessEnv {
  const wanted = ([name]: readonly [string, unknown]) =>
    ['PATH', 'TMPDIR'].includes(name) ||
    (kind === 's3' && (name.startsWith('AWS_') || ['HOME', 'NODE_EXTRA_CA_CERTS'].includes(name)));
  return Object.fromEntries(Object.entries(process.env).filter(wanted));
}

function tell(child: ChildProcess, message: ToChild): void {
  // A process that is gone hears nothing; its 'exit' tells.
  if (child.connected) child.send(message, () => undefined);
}

/** The code is enough; the message would tell paths. */
const notStarted = (error: unknown): string =>
  `could not be started (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`;

function describeEnd(code: number | null, signal: NodeJS.Signals | null, heapMiB: number): string {
  if (signal === 'SIGABRT' || code === 134) return `ran out of memory (its heap is limited to ${heapMiB} MiB)`;
  if (signal) return `was ended by ${signal}`;
  return code === 0 ? 'ended without a result' : `ended with exit code ${code}`;
}
