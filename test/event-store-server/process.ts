import { fork } from 'node:child_process';
import { once } from 'node:events';

export interface EventStoreProcess {
  readonly address: string;
  readonly port: number;
  readonly pid: number;
  /** Resolves when the process is gone. `SIGKILL` is a crash, `SIGTERM` an orderly end, `SIGSTOP` resolves at once. */
  kill(signal?: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): Promise<void>;
}

/**
 * The server as a process of its own, which a test can kill. It ends with the process that started it.
 * @param options.directory where the log is kept: a server started there later has all that was acknowledged
 */
export async function startEventStoreProcess(options: {
  readonly directory: string;
  readonly port?: number;
}): Promise<EventStoreProcess> {
  const args = ['--directory', options.directory, '--port', String(options.port ?? 0)];
  const child = fork(new URL('main.js', import.meta.url), args, {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const gone = once(child, 'exit');
  const address = await Promise.race([
    once(child.stdout!, 'data').then(([line]) => String(line).trim()),
    gone.then(([code]) => Promise.reject(new Error(`the event store server ended with ${code}`))),
  ]);
  return {
    address,
    port: Number(new URL(address).port),
    pid: child.pid!,
    kill: async (signal = 'SIGKILL') => {
      child.kill(signal);
      if (signal === 'SIGKILL' || signal === 'SIGTERM') await gone;
    },
  };
}
