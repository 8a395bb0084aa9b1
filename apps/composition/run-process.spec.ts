import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

const MODULE = new URL('./run-process.js', import.meta.url).href;

function run(start: string): ChildProcessByStdio<null, Readable, null> {
  const program = `
    import { runProcess } from ${JSON.stringify(MODULE)};
    setInterval(() => undefined, 1_000);
    await runProcess(${start});`;
  return spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] });
}

describe('a process', () => {
  it('exits at a signal that arrives during its start', async () => {
    const child = run(`() => {
      console.log('starts');
      return new Promise(() => undefined);
    }`);
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([1, null]);
  });

  it.each(['SIGTERM', 'SIGHUP'])('ends in order at %s that arrives while its start ends', async (signal) => {
    const child = run(`async () => ({
      get greeting() {
        process.kill(process.pid, '${signal}');
        return [];
      },
      failure: new Promise(() => undefined),
      close: async () => console.log('closed'),
    })`);
    const said = text(child.stdout);
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await said).toMatch(/^Stopping.*\nclosed\n$/);
  });
});
