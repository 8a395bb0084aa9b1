import { jest } from '@jest/globals';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lendFolder } from './index.js';

const HOUR = 60 * 60 * 1000;

describe('a lent folder', () => {
  const { TMPDIR } = process.env;
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'folders-'));
    process.env.TMPDIR = root;
  });
  afterEach(async () => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    await rm(root, { recursive: true });
  });

  it('is gone with its work', async () => {
    const { folder, remove } = await lendFolder(HOUR);
    await mkdir(join(folder, 'within'));
    await remove();
    expect(await readdir(root)).toEqual([]);
  });

  it('left by a killed process is removed after twice the time of its own work', async () => {
    const begin = Date.now();
    const long = await lendFolder(6 * HOUR);
    const short = await lendFolder(HOUR);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(begin + 3 * HOUR);
    const later = await lendFolder(HOUR);
    clock.mockRestore();
    expect([long, short, later].map(({ folder }) => existsSync(folder))).toEqual([true, false, true]);
  });
});
