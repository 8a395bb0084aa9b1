import { spawn, type ChildProcess } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { suspend } from '#test/support/suspend.js';
import { find } from './tools.js';

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** A server in a process of its own. */
export interface RunningServer {
  /** Name for people: `NATS 2.15.2`. */
  readonly name: string;
  /** Address in the form of the settings. */
  readonly address: string;
  readonly port: number;
  readonly pid: number;
  /** Ends it in its own way (SIGTERM), or after 10 s in any way, and waits until it has. */
  stop(): Promise<void>;
  /** SIGKILL, and waits. */
  kill(): Promise<void>;
  /** Suspends the server (SIGSTOP): once it resolves, the server keeps its connections and answers nothing until it is resumed. */
  pause(): Promise<void>;
  resume(): void;
}

export interface ServerToBe {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  /** Folder of its data and of `server.log`. */
  readonly directory: string;
  answers(): Promise<void>;
}

const START_MS = 60_000;
const STOP_MS = 10_000;

/** @throws Error with the end of what it said when it ends, or does not answer in a minute */
export async function spawnServer(server: ServerToBe, command: Command): Promise<RunningServer> {
  const { name, address, port, directory } = server;
  const said = join(directory, 'server.log');
  const child = await spawnLogged(command, said);
  try {
    await answering(server, child);
  } catch (error) {
    await end(child, 'SIGKILL');
    const log = await readFile(said, 'utf8').catch(() => '');
    throw new Error(`${name} did not start on port ${port}:\n${log.slice(-2000)}`, { cause: error });
  }
  return {
    ...{ name, address, port, pid: child.pid! },
    stop: () => end(child, 'SIGTERM'),
    kill: () => end(child, 'SIGKILL'),
    pause: () => suspend(child.pid!),
    resume: () => void child.kill('SIGCONT'),
  };
}

async function spawnLogged({ file, args, environment }: Command, said: string): Promise<ChildProcess> {
  const log = await open(said, 'w');
  // If util-linux has it, the server ends with the process that started it, however that ends.
  const setpriv = process.platform === 'linux' ? await find('setpriv') : null;
  const [program, options] = setpriv ? [setpriv, ['--pdeathsig', 'KILL', file, ...args]] : [file, [...args]];
  const child = spawn(program, options, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', log.fd, log.fd],
    // Ctrl-C in a terminal reaches its whole group; servers end after those who use them.
    detached: true,
  });
  await log.close();
  // A program that cannot be started ends by this event alone; `answering` sees that it has no pid.
  child.on('error', () => undefined);
  return child;
}

async function answering(server: ServerToBe, child: ChildProcess): Promise<void> {
  const latest = performance.now() + START_MS;
  for (;;) {
    if (child.pid === undefined || hasEnded(child)) throw new Error('it ended');
    try {
      return await server.answers();
    } catch (error) {
      if (performance.now() > latest) throw error;
    }
    await setTimeout(30);
  }
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.pid === undefined || hasEnded(child)) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  // A paused one takes no signal but SIGKILL until it goes on.
  child.kill('SIGCONT');
  const late = new AbortController();
  const killed = setTimeout(STOP_MS, undefined, { signal: late.signal, ref: false }).then(
    () => child.kill('SIGKILL'),
    () => undefined,
  );
  await ended;
  late.abort();
  await killed;
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;
