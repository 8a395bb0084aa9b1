import { PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import { watchTurns, type Turn } from './turns.js';

/**
 * The longest turn that a request may take, milliseconds of this thread's CPU: ten times what holds on a quiet machine
 * (`ANNEAL_MAX_TURN_MS=50`). CPU is counted, so that a busy machine does not lengthen turns: beside eight busy processes on two cores the
 * longest was 33 ms. The faults that the bound is for took seconds.
 */
export const MAX_TURN_MS = Number(process.env['ANNEAL_MAX_TURN_MS'] ?? 500);

/**
 * The longest turn of this thread's event loop while something goes on elsewhere, in milliseconds of its CPU. The collection of
 * garbage, most of which other specs in this process left, does not count.
 */
export async function longestTurnDuring<T>(work: Promise<T>): Promise<{ readonly ms: number; readonly result: T }> {
  const collections: PerformanceEntry[] = [];
  const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  const watched = watchTurns();
  try {
    const result = await work;
    await new Promise(setImmediate);
    const turns = watched.stop();
    // Observations are reported in a later turn.
    await new Promise(setImmediate);
    collections.push(...observer.takeRecords());
    const own = turns.map((turn) => turn.cpuMs - collectedIn(turn, collections));
    return { ms: Math.max(0, ...own), result };
  } finally {
    watched.stop();
    observer.disconnect();
  }
}

const collectedIn = ({ from, to }: Turn, collections: readonly PerformanceEntry[]): number =>
  collections
    .filter(({ startTime, duration }) => startTime >= from && startTime + duration <= to + 1)
    .reduce((sum, { duration }) => sum + duration, 0);
