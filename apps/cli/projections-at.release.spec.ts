import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describeEmbedded } from '#test/deployments/test-api.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { runProgram } from '#test/support/run-program.js';

const ANNEAL = join(import.meta.dirname, 'main.js');

describeEmbedded('anneal projections at', 'it reads a data folder', () => {
  let [dataDir, temporary] = ['', ''];
  let system: TestApi;
  const environment = () => ({ ANNEAL_DATA_DIR: dataDir, TMPDIR: temporary });

  beforeAll(async () => {
    [dataDir, temporary] = (await Promise.all(
      ['anneal-at-', 'anneal-tmp-'].map((name) => mkdtemp(join(tmpdir(), name))),
    )) as [string, string];
    system = await startTestApi({ dataDir });
  });
  afterAll(async () => {
    await system.close();
    await Promise.all([dataDir, temporary].map((folder) => rm(folder, { recursive: true, force: true })));
  });

  const started = (at: string): ChildProcess =>
    spawn(process.execPath, [ANNEAL, 'projections', 'at', at, '--json'], {
      env: { ...process.env, ...environment() },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  const interrupted = async (child: ChildProcess): Promise<unknown> => {
    const exited = once(child, 'exit');
    child.kill('SIGINT');
    return (await exited)[0];
  };
  const projectsAt = async (url: string) => {
    const answer = await fetch(`${url}/projects`, { headers: { 'x-api-key': system.key } });
    return ((await answer.json()) as { projects: readonly { name: string }[] }).projects.map(({ name }) => name);
  };
  const create = (name: string) => system.call('POST', '/projects', { name });

  it('serves the past beside the running system until interrupted, and leaves no files', async () => {
    await create('early');
    const at = new Date().toISOString();
    // The next event has a later time.
    while (new Date().toISOString() <= at) await new Promise((resolve) => setImmediate(resolve));
    await create('late');
    const child = started(at);
    const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
    const { url, time } = JSON.parse(line) as { url: string; time: string };
    expect(time <= at).toBe(true);
    expect(await projectsAt(url)).toEqual(['early']);
    expect(await projectsAt(system.url)).toEqual(['late', 'early']);
    expect(await readdir(temporary)).toContainEqual(expect.stringMatching(/^anneal-past-/));
    expect(await interrupted(child)).toBe(0);
    expect(await readdir(temporary)).toEqual([]);
  });

  it('refuses a point that the log does not have in one line', async () => {
    const { status, err } = await runProgram(ANNEAL, ['projections', 'at', '2999-01-01'], environment());
    expect(status).toBe(1);
    expect(err.trim().split('\n')).toEqual([expect.stringMatching(/2999-01-01 must not be in the future/)]);
    expect(await readdir(temporary)).toEqual([]);
  });
});
