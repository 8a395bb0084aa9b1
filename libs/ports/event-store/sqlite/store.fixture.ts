import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { EventToAppend } from '../port.js';

export const event = (): EventToAppend => ({
  id: randomUUID(),
  type: 'happened.v1',
  data: { what: 'something' },
  metadata: {
    workspaceId: null,
    actor: 'system:test',
    correlationId: 'c',
    causationId: 'c',
    commandId: 'c',
    occurredAt: '2030-01-02T03:04:05.678Z',
  },
});

export const disposable = <Store extends { close(): Promise<void> }>(store: Store) => ({
  store,
  [Symbol.asyncDispose]: () => store.close(),
});

/** A process of its own on the same folder, which says what it does line by line. */
export function otherProcess(role: 'hold' | 'hold-opening' | 'follow', directory: string) {
  const path = new URL('./process.fixture.js', import.meta.url).pathname;
  const child = spawn(globalThis.process.execPath, ['--disable-warning=ExperimentalWarning', path, role, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    line: async () => (await lines.next()).value as string,
    async kill() {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };
}
