import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { openNatsBus } from './index.js';

/**
 * A second process on the bus, which tests kill. It tells its parent when it has started its role. `take`: takes one
 * message of `jobs` and never ends. `serve`: answers `endless` with endless frames. `call`: calls `endless`.
 */
export type PeerRole = 'take' | 'serve' | 'call';

/** Resolves when it has begun. */
export async function startPeer(role: PeerRole, address: string): Promise<ChildProcess> {
  const child = fork(fileURLToPath(import.meta.url), [role, address]);
  await once(child, 'message');
  return child;
}

export async function kill(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

async function play(role: PeerRole, address: string): Promise<void> {
  const bus = await openNatsBus(address);
  const begun = () => process.send!('begun');
  const never = new Promise<never>(() => undefined);
  switch (role) {
    case 'take':
      bus.take('jobs', async () => {
        begun();
        await never;
      });
      break;
    case 'serve':
      bus.serve('endless', async function* () {
        yield 'first';
        await never;
      });
      // A call over the same connection arrives after its subscription.
      for await (const _ of bus.call('endless', null, { deadlineMs: 5_000 })) break;
      begun();
      break;
    case 'call':
      for await (const _ of bus.call('endless', null, { deadlineMs: 600_000 })) begun();
  }
}

const [, program, role, address] = process.argv;
if (program === fileURLToPath(import.meta.url)) await play(role as PeerRole, address!);
