import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '#test/support/eventually.js';
import { startTorch } from './python.js';
import { hello, type Step } from './scripted-python.fixture.js';

const SCRIPTED = fileURLToPath(new URL('./scripted-python.fixture.js', import.meta.url));

describe('the Python of the torch engine', () => {
  let folder: string;
  beforeEach(async () => (folder = await realpath(await mkdtemp(join(tmpdir(), 'torch-python-')))));
  afterEach(() => rm(folder, { recursive: true }));

  /** A program that writes down where it runs, and then does what the script says. */
  const programOf = async (...steps: readonly Step[]) => {
    const path = join(folder, 'python');
    const report = `echo "$PWD $HOME $PYTHONSAFEPATH $OMP_WAIT_POLICY $*" > '${folder}/report'`;
    const play = `exec '${process.execPath}' '${SCRIPTED}' '${JSON.stringify(steps)}'`;
    await writeFile(path, `#!/bin/sh\n${report}\n${play}\n`);
    await chmod(path, 0o700);
    return path;
  };
  const reported = async () => (await readFile(join(folder, 'report'), 'utf8')).trim().split(' ');

  it('runs in a private folder, imports nothing from it, and removes it', async () => {
    const python = await startTorch(await programOf({ say: hello }))(() => undefined);
    const [directory, home, safePath] = await reported();
    expect([home, safePath]).toEqual([directory, '1']);
    const { mode } = await stat(directory!);
    expect((mode & 0o777).toString(8)).toBe('700');
    await python.stop(60_000);
    await eventually(() => !existsSync(directory!));
  });

  it('has threads that do not spin while they wait', async () => {
    const python = await startTorch(await programOf({ say: hello }))(() => undefined);
    expect((await reported())[3]).toBe('PASSIVE');
    await python.stop(60_000);
  });

  it.each([undefined, '2'])('is told how many processes train together: %s', async (processes) => {
    const python = await startTorch(await programOf({ say: hello }), processes)(() => undefined);
    expect((await reported()).join(' ')).toContain(`--processes ${processes ?? '1'}`);
    await python.stop(60_000);
  });

  it('leaves no folder if it does not start', async () => {
    const starting = startTorch(await programOf({ exit: 1 }))(() => undefined);
    await expect(starting).rejects.toThrow('it ended with code 1');
    const [directory] = await reported();
    expect(existsSync(directory!)).toBe(false);
  });
});
