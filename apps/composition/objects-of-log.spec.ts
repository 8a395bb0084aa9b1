import type { Coordination } from '#ports/coordination/port.js';
import type { EventStore } from '#ports/event-store/port.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { requireObjectsOfLog } from './objects-of-log.js';

describe('the mark of the objects of a log', () => {
  it('is taken by processes that start on a new log at once, in every order of their steps', async () => {
    for (let step = 0; step < 6; step += 1) {
      const objects = new Map<string, Uint8Array>();
      const entries = new Map<string, unknown>();
      let left = step;
      /** Before one step of a process, another process does all of its own. */
      const before = async () => {
        left -= 1;
        if (left === -1) await requireObjectsOfLog(portsOf(async () => undefined));
      };
      const portsOf = (pause: () => Promise<void>) => ({
        eventStore: { head: async () => ({ logId: 'log' }) } as unknown as EventStore,
        coordination: {
          get: async (key: string) => (await pause(), entries.has(key) ? { key } : null),
          compareAndSet: async (key: string, _: unknown, value: unknown) => (
            await pause(),
            void entries.set(key, value)
          ),
        } as unknown as Coordination,
        objectStore: {
          stat: async (key: string) => (await pause(), objects.has(key) ? { key } : null),
          get: async (key: string) => (await pause(), [objects.get(key)!]),
          put: async (key: string, bytes: Uint8Array) => (await pause(), void objects.set(key, bytes)),
        } as unknown as ObjectStore,
      });
      await requireObjectsOfLog(portsOf(before));
      expect([objects.size, entries.size]).toEqual([1, 1]);
      objects.clear();
      await expect(requireObjectsOfLog(portsOf(before))).rejects.toThrow(/are gone/);
    }
  });
});
