import { printable, printableLines } from '#domain/printable.js';
import { LogLostError } from '#ports/event-store/log-lost.js';
import { LogDamagedError } from '#ports/event-store/port.js';
import { FolderInUseError, LogUnusableError } from '#ports/event-store/sqlite/index.js';
import { releaseMemory, releaseMemoryWhenIdle } from '#primitives/memory/release-memory.js';
import { SecretFileError } from '#primitives/secrets/index.js';
import { startTracing, stopTracing } from '#primitives/tracing/index.js';
import { readSettings, SettingsError, type Settings } from '#settings/index.js';
import { StartRefusedError } from './start-refused.js';

/** A running process. */
export interface RunningProcess {
  /** Lines for the person who started it. */
  readonly greeting: readonly string[];
  /** Resolves once nothing of the start goes on beside the first requests. */
  readonly settled?: Promise<void>;
  /** Resolves when the process can no longer do its work. */
  readonly failure: Promise<Error>;
  /** Stops accepting work, lets running work end, and closes everything in order. */
  close(): Promise<void>;
}

/** Running requests get 25 s at a signal (`closeApi`); everything else ends some seconds later. */
const DRAIN_MS = 30_000;
/** SIGHUP: the terminal was closed. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** Read-only, input or output failed, full, cannot be opened: https://www.sqlite.org/rescode.html */
const SQLITE_CANNOT_WRITE = new Set([8, 10, 13, 14]);

/** Starts a process from its environment, prints its greeting, and ends it in order at SIGTERM, SIGINT and SIGHUP. */
export async function runProcess(start: (settings: Settings) => Promise<RunningProcess>): Promise<void> {
  // The first process of a container ignores signals without a handler: a stop during its start would wait to be killed.
  // The handlers stay: one that is replaced would lose a signal which has come and was not handled yet.
  let atSignal: () => void = () => process.exit(1);
  for (const signal of SIGNALS) process.on(signal, () => atSignal());
  // Whoever read this may have ended before, as `tee` does at Ctrl+C; the process works on, and ends in order.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
  try {
    await startTracing();
    const running = await start(readSettings(process.env));
    const stopOnce = once(() => {
      // A second signal ends the process immediately.
      atSignal = () => process.exit(1);
      void stop(() => running.close());
    });
    atSignal = stopOnce;
    for (const line of running.greeting) console.log(printable(line));
    onOrphaned(stopOnce);
    void Promise.resolve(running.settled).then(releaseMemory);
    releaseMemoryWhenIdle();
    // Acknowledged writes are safe: the next start continues from the log.
    void running.failure.then((error) => {
      console.error(error);
      process.exit(1);
    });
  } catch (error) {
    const line = startProblem(error);
    if (line === null) throw error;
    console.error(printableLines(line));
    process.exit(1);
  }
}

const MENDABLE = [
  SettingsError,
  FolderInUseError,
  LogUnusableError,
  LogLostError,
  LogDamagedError,
  SecretFileError,
  StartRefusedError,
];

/** Message that names the setting to correct, in one line; null for other errors. */
export function startProblem(error: unknown): string | null {
  if (MENDABLE.some((known) => error instanceof known)) return (error as Error).message;
  const { code, syscall, message, details } = error as NodeJS.ErrnoException & { details?: unknown };
  // Across a thread, SQLite's own error code is in the details.
  const { errcode } = (details ?? error) as { errcode?: number };
  if (errcode !== undefined && SQLITE_CANNOT_WRITE.has(errcode & 0xff)) return unusableFolder(message);
  if (code === undefined || syscall === undefined) return null;
  if (syscall === 'listen' || syscall === 'getaddrinfo')
    return `HOST and PORT cannot be listened on (${message}); choose others`;
  if (['EACCES', 'EPERM', 'ENOTDIR', 'EROFS', 'ENOSPC', 'EEXIST'].includes(code)) return unusableFolder(message);
  return null;
}

function unusableFolder(reason: string): string {
  return `ANNEAL_DATA_DIR cannot be used (${reason}); choose a folder that can be written`;
}

/**
 * `npm start` runs this below a shell. A SIGTERM to npm ends npm and the shell without reaching this process, which
 * only notices that its parent has ended.
 */
function onOrphaned(then: () => void): void {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && then(), 200).unref();
}

function once(then: () => void): () => void {
  let done = false;
  return () => {
    if (!done) then();
    done = true;
  };
}

async function stop(close: () => Promise<void>): Promise<void> {
  setTimeout(() => process.exit(1), DRAIN_MS).unref();
  console.log('Stopping: what is under way ends or is taken up at the next start.');
  await close();
  await stopTracing();
  process.exit(0);
}
