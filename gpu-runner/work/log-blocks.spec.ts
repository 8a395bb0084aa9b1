import { MAX_BLOCK_BYTES, MAX_LINES_PER_ATTEMPT, type LogLine } from '#domain/job-log/index.js';
import { LogBlocks, type LogBlock } from './log-blocks.js';

const line = (message: string): LogLine => ({
  timestamp: '2030-01-01T00:00:00.000Z',
  level: 'info',
  message,
  source: 'training',
});

describe('log lines', () => {
  let given: LogBlock[];
  let blocks: LogBlocks;
  beforeEach(() => {
    given = [];
    blocks = new LogBlocks((block) => given.push(block), 1e6);
  });
  afterEach(() => blocks.flush());

  it('are sent in numbered blocks, none of them empty', () => {
    blocks.add(line('a'));
    blocks.add(line('b'));
    blocks.flush();
    blocks.flush();
    blocks.add(line('c'));
    blocks.flush();
    expect(given).toEqual([
      { block: 1, lines: [line('a'), line('b')] },
      { block: 2, lines: [line('c')] },
    ]);
  });

  it('fill blocks of at most 64 KiB, whatever the characters', () => {
    for (let count = 0; count < 100; count += 1) blocks.add(line('é'.repeat(2_000)));
    blocks.flush();
    expect(given.length).toBeGreaterThan(1);
    for (const { lines } of given)
      expect(Buffer.byteLength(JSON.stringify(lines))).toBeLessThanOrEqual(MAX_BLOCK_BYTES);
    expect(given.flatMap(({ lines }) => lines)).toHaveLength(100);
  });

  it('are cut if they are enormous', () => {
    blocks.add(line('x'.repeat(1_000_000)));
    blocks.flush();
    expect(given[0]!.lines[0]!.message).toMatch(/^x{8000}…$/);
  });

  it('end with a note about the rest if there are too many', () => {
    for (let count = 0; count < MAX_LINES_PER_ATTEMPT + 5; count += 1) blocks.add(line('x'));
    blocks.flush();
    const lines = given.flatMap((block) => block.lines);
    expect(lines).toHaveLength(MAX_LINES_PER_ATTEMPT);
    expect(lines.at(-1)!.message).toMatch(/the rest is dropped/);
  });
});
