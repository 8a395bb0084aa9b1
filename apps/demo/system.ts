import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A system of the demo's own: a process on a temporary folder and a free port, gone when closed. */
export interface DemoSystem {
  readonly url: string;
  readonly pid: number;
  readonly email: string;
  readonly password: string;
  close(): Promise<void>;
}

/**
 * @param settings environment variables besides those that the demo needs
 * @throws Error when it does not start; what it said went to stderr
 */
export async function startSystem(settings: Readonly<Record<string, string>> = {}): Promise<DemoSystem> {
  const directory = await mkdtemp(join(tmpdir(), 'anneal-demo-'));
  const email = 'demo@example.org';
  const password = randomBytes(18).toString('base64url');
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, '..', 'standalone', 'main.js')],
    {
      env: {
        ...process.env,
        PORT: '0',
        HOST: '127.0.0.1',
        ANNEAL_DATA_DIR: directory,
        ANNEAL_PUBLIC_URL: '',
        ANNEAL_ADMIN_EMAIL: email,
        ANNEAL_ADMIN_PASSWORD: password,
        ANNEAL_LOG_LEVEL: 'error',
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const close = async () => {
    await ended(child);
    await rm(directory, { recursive: true, force: true });
  };
  try {
    return { url: await listening(child), pid: child.pid!, email, password, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The address that the system says it listens on. */
async function listening(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const url = /http:\/\/\S+/.exec(line)?.[0];
    if (url) {
      child.stdout!.resume();
      return new URL(url).origin;
    }
  }
  throw new Error('the system ended before it listened');
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exited;
}
