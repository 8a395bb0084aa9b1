import { mkdir, mkdtemp, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isGone, ownMark } from './owner-mark.js';

describe('the mark of a process', () => {
  /** A folder such as /proc. */
  let proc: string;
  beforeEach(async () => {
    proc = await mkdtemp(join(tmpdir(), 'proc-'));
    const own = join(proc, String(process.pid));
    await mkdir(join(own, 'ns'), { recursive: true });
    await mkdir(join(proc, 'sys', 'kernel', 'random'), { recursive: true });
    await writeFile(join(proc, 'sys', 'kernel', 'random', 'boot_id'), 'a-b-c\n');
    await symlink(String(process.pid), join(proc, 'self'));
    await symlink('pid:[7]', join(own, 'ns', 'pid'));
    await writeFile(join(own, 'stat'), statOf(process.pid));
    await mkdir(join(proc, '1'));
    await writeFile(join(proc, '1', 'stat'), statOf(1));
  });
  afterEach(() => rm(proc, { recursive: true }));

  it('names boot, namespace, id and start, which distinguish a living process from a dead one', async () => {
    expect(await ownMark(proc)).toBe(`abc.7.${process.pid}.55`);
    const marks = [`abc.7.${process.pid}.55`, 'abc.7.1.55', 'abc.7.1.54', 'abc.7.2.55', 'abc.8.2.55', 'unknown'];
    const gone = await Promise.all(marks.map((mark) => isGone(mark, proc)));
    expect(gone).toEqual([false, false, true, true, false, false]);
  });

  it('never reports an unreadable process as gone', async () => {
    await rm(join(proc, '1', 'stat'));
    await mkdir(join(proc, '1', 'stat'));
    expect(await isGone('abc.7.1.55', proc)).toBe(false);
  });

  it('is unknown if process ids belong to another namespace', async () => {
    await unlink(join(proc, 'self'));
    await symlink('1', join(proc, 'self'));
    await mkdir(join(proc, '1', 'ns'));
    await symlink('pid:[7]', join(proc, '1', 'ns', 'pid'));
    expect(await ownMark(proc)).toBe('unknown');
    expect(await isGone('abc.7.2.55', proc)).toBe(false);
  });
});

const statOf = (pid: number): string => `${pid} (a (b) c) S ${'0 '.repeat(18)}55 0`;
