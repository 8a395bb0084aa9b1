import { spawn } from 'node:child_process';
import { once } from 'node:events';

const MODULE = new URL('./run-process.js', import.meta.url).href;

describe('a process', () => {
  it('exits at a signal that arrives during its start', async () => {
    const program = `
      import { runProcess } from ${JSON.stringify(MODULE)};
      setInterval(() => undefined, 1_000);
      await runProcess(() => {
        console.log('starts');
        return new Promise(() => undefined);
      });`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([1, null]);
  });
});
