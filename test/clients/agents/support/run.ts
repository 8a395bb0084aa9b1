import { spawn, type ChildProcess } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { AgentCommand, Task } from './agent.js';

/** The end of an agent. */
export interface Ended {
  /** null: a signal ended it. */
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

const running = new Set<ChildProcess>();

/** Runs an agent to its own end, with only the path of this environment, and access only to addresses of this machine. */
export async function runAgent(command: AgentCommand, { home, work, packages }: Task): Promise<Ended> {
  const nowhere = 'http://127.0.0.1:9';
  const child = spawn(command.program, command.args, {
    cwd: work,
    env: {
      PATH: [join(packages, '.bin'), dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
      ...{ HOME: home, XDG_CONFIG_HOME: join(home, '.config'), XDG_DATA_HOME: join(home, '.local', 'share') },
      ...{ XDG_CACHE_HOME: join(home, '.cache'), XDG_STATE_HOME: join(home, '.local', 'state'), TMPDIR: home },
      ...{ HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere, http_proxy: nowhere, https_proxy: nowhere },
      ...{ NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1', CI: '1', NO_COLOR: '1', DO_NOT_TRACK: '1' },
      ...command.environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  running.add(child);
  const exited = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('exit', resolve));
  const [status, out, err] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
  running.delete(child);
  return { status, out, err };
}

/** Ends the agents that still run, with what they started. */
export function endAgents(): void {
  for (const { pid } of running) if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  running.clear();
}
