import { getHeapSpaceStatistics } from 'node:v8';
import { releaseMemory } from './release-memory.js';

const youngBytes = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')!.space_size;

describe('memory that a start has left', () => {
  it('is given back: the young generation is small again', () => {
    let kept: unknown[] = [];
    // What survives makes it grow.
    while (youngBytes() < 4 * 1024 * 1024) kept = [...kept, ...Array.from({ length: 10_000 }, () => ({}))];
    releaseMemory();
    expect(youngBytes()).toBeLessThan(4 * 1024 * 1024);
    expect('gc' in globalThis).toBe(false);
  });
});
