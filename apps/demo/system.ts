import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A system in a separate process, on a free port. */
export interface SpawnedSystem {
  readonly url: string;
  readonly pid: number;
  /** Ends it, by SIGTERM unless another signal is given, and waits until it has. @returns its exit status */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** A system of the demo's own: on a temporary folder, gone when closed. */
export interface DemoSystem {
  readonly url: string;
  readonly pid: number;
  readonly email: string;
  readonly password: string;
  close(): Promise<void>;
}

/** @param settings environment variables in addition to the demo's own */
export async function startSystem(settings: Readonly<Record<string, string>> = {}): Promise<DemoSystem> {
  const directory = await mkdtemp(join(tmpdir(), 'anneal-demo-'));
  const email = 'demo@example.org';
  const password = randomBytes(18).toString('base64url');
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    const account = { ANNEAL_ADMIN_EMAIL: email, ANNEAL_ADMIN_PASSWORD: password };
    const system = await spawnSystem(directory, { ...account, ...settings });
    const close = async () => {
      await system.end();
      await remove();
    };
    return { url: system.url, pid: system.pid, email, password, close };
  } catch (error) {
    await remove();
    throw error;
  }
}

/**
 * @param through a command that runs the rest of its arguments, such as nsenter
 * @throws Error when it does not start; its output went to stderr
 */
export async function spawnSystem(
  directory: string,
  settings: Readonly<Record<string, string>>,
  through: readonly string[] = [],
): Promise<SpawnedSystem> {
  const role = await spawnRole('standalone', directory, { PORT: '0', ...settings }, through);
  const [address] = /http:\/\/\S+/.exec(role.line) ?? [];
  if (address !== undefined) return { ...role, url: new URL(address).origin };
  await role.end();
  throw new Error(`it began with something else than its address: ${role.line}`);
}

/** A process of one role or of all, ready. */
export interface SpawnedRole {
  /** The first line of its output. */
  readonly line: string;
  /** The latest lines that followed, each a record of its log. */
  readonly logged: readonly string[];
  readonly pid: number;
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** @throws Error when it does not start; its messages went to stderr */
export async function spawnRole(
  role: 'standalone' | 'api' | 'worker' | 'gpu-runner',
  directory: string,
  settings: Readonly<Record<string, string>>,
  through: readonly string[] = [],
): Promise<SpawnedRole> {
  const main = join(import.meta.dirname, '..', role === 'gpu-runner' ? 'runner' : role, 'main.js');
  const [command, ...args] = [...through, process.execPath, '--disable-warning=ExperimentalWarning', main];
  const child = spawn(command, args, {
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      ANNEAL_PUBLIC_URL: '',
      ANNEAL_LOG_LEVEL: 'error',
      ...settings,
      ANNEAL_DATA_DIR: directory,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = (signal: NodeJS.Signals = 'SIGTERM') => ended(child, signal);
  try {
    return { ...(await linesOf(child)), pid: child.pid!, end };
  } catch (error) {
    await end();
    throw error;
  }
}

const KEPT_LINES = 100;

/** Resolves at the first line; the others are read on, so that the process never waits for room in the pipe. */
function linesOf(child: ChildProcess): Promise<Pick<SpawnedRole, 'line' | 'logged'>> {
  const logged: string[] = [];
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: child.stdout! });
    lines.once('line', (line) => {
      resolve({ line, logged });
      lines.on('line', (next) => {
        logged.push(next);
        if (logged.length > KEPT_LINES) logged.shift();
      });
    });
    lines.once('close', () => reject(new Error('the process ended before it was at work')));
  });
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await exited;
  }
  return child.exitCode;
}
