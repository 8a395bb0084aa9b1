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

  it('ends in order though nobody reads what it and its threads say any more', async () => {
    const child = run(`async () => {
      const { Worker } = await import('node:worker_threads');
      new Worker('setInterval(() => undefined, 1_000)', { eval: true });
      return {
        greeting: ['at work'],
        failure: new Promise(() => undefined),
        async close() {
          await new Promise((resolve) => process.stdout.write('closing', resolve));
          await new Promise((resolve) => setImmediate(resolve));
        },
      };
    }`);
    await once(child.stdout, 'data');
    child.stdout.destroy();
    await once(child.stdout, 'close');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
