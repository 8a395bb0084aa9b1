// A stand-in for coordination, in memory, until the embedded adapter is there.
import type { Coordination, Entry } from '#coordination/port.js';

export function fakeCoordination(): Coordination {
  const entries = new Map<string, Entry & { until: number }>();
  const get = (key: string) => {
    const entry = entries.get(key);
    return entry && entry.until > Date.now() ? entry : null;
  };
  return {
    get: async (key) => get(key),
    compareAndSet: async (key, expected, value, ttlMs = Infinity) => {
      const present = get(key);
      if (expected.kind === 'absent' ? present : present?.version !== expected.version) return null;
      const entry = { key, value, version: (present?.version ?? 0) + 1, until: Date.now() + ttlMs };
      entries.set(key, entry);
      return entry;
    },
    delete: async (key) => void entries.delete(key),
    list: async (prefix, limit) => [...entries.values()].filter(({ key }) => key.startsWith(prefix)).slice(0, limit),
    increment: async (key, by, ttlMs, limit = Infinity) => {
      const present = get(key);
      const value = (present?.value as number | undefined) ?? 0;
      const until = present?.until ?? Date.now() + ttlMs;
      if (value + by > limit) return { applied: false, value, endsInMs: until - Date.now() };
      entries.set(key, { key, value: value + by, version: 1, until });
      return { applied: true, value: value + by, endsInMs: until - Date.now() };
    },
    acquireLease: async (name, holder) => ({ name, holder, token: 1 }),
    releaseLease: async () => undefined,
    close: async () => undefined,
  };
}
