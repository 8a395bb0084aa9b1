import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Lets the young generation grow, releases, and ends once it is small again. */
const script = (release: string) => `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { releaseMemory, releaseMemoryWhenIdle } from '${import.meta.resolve('./release-memory.js')}';
  const young = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size;
  let kept = [];
  while (young() < 4 * 1024 * 1024) kept = [...kept, ...Array.from({ length: 10_000 }, () => ({}))];
  ${release};
  const waiting = setInterval(() => {
    if (young() < 4 * 1024 * 1024) clearInterval(waiting);
  }, 10);
`;

const run = (release: string) =>
  promisify(execFile)(process.execPath, ['--expose-gc', '--input-type=module', '-e', script(release)]);

describe('memory that a load has left', () => {
  it('is given back when asked for', async () => {
    await run('releaseMemory()');
  });

  it('is given back when the thread has become idle', async () => {
    await run('releaseMemoryWhenIdle(20)');
  });
});
