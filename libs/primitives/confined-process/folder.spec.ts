import { jest } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lendFolder } from './index.js';

const HOUR = 60 * 60 * 1000;
const MODULE = new URL('./folder.js', import.meta.url).href;

describe('a temporary folder of a process', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'folders-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  /** A process that has lent a folder, and says its path. */
  const lender = async () => {
    const program = `const { folder } = await (await import('${MODULE}')).lendFolder(${HOUR}, process.argv[1]);
      console.log(folder); setInterval(() => {}, 1e9);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, root], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [path] = (await once(child.stdout, 'data')) as [Buffer];
    const kill = async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    };
    return { folder: path.toString().trim(), kill };
  };

  it('is removed with its work', async () => {
    const { folder, remove } = await lendFolder(HOUR, root);
    await mkdir(join(folder, 'within'));
    expect(await readdir(root)).toHaveLength(1);
    await remove();
    expect(await readdir(root)).toEqual([]);
  });

  it('left by a killed process is removed by the next process, while that of a live one stays', async () => {
    const [killed, living] = [await lender(), await lender()];
    await killed.kill();
    await lendFolder(HOUR, root);
    expect([killed, living].map(({ folder }) => existsSync(folder))).toEqual([!existsSync('/proc/self/stat'), true]);
    await living.kill();
  });

  it('whose process cannot be seen is removed after twice the time of its work', async () => {
    const begin = Date.now();
    const long = await lendFolder(6 * HOUR, root);
    const short = await lendFolder(HOUR, root);
    const elsewhere = join(root, `anneal-confined-${begin + 12 * HOUR}-otherboot.1.1.1-abcdef`);
    await mkdir(elsewhere);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(begin + 3 * HOUR);
    const later = await lendFolder(HOUR, root);
    clock.mockRestore();
    const folders = [long, short, later].map(({ folder }) => folder);
    expect([...folders, elsewhere].map(existsSync)).toEqual([true, false, true, true]);
  });
});
