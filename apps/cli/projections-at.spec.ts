import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { spawnSystem, type SpawnedSystem } from '#apps/demo/system.js';
import { newApiKey } from '#primitives/secrets/index.js';
import { describeEmbedded } from '#test/deployments/test-api.js';
import { runProgram } from '#test/support/run-program.js';

const ANNEAL = join(import.meta.dirname, '../../../apps/cli/bin/anneal.mjs');

describeEmbedded('anneal projections at', 'it reads a data folder', () => {
  const key = newApiKey();
  let [dataDir, temporary] = ['', ''];
  let system: SpawnedSystem;
  const environment = () => ({ ANNEAL_DATA_DIR: dataDir, TMPDIR: temporary });

  beforeAll(async () => {
    [dataDir, temporary] = (await Promise.all(
      ['anneal-at-', 'anneal-tmp-'].map((name) => mkdtemp(join(tmpdir(), name))),
    )) as [string, string];
    system = await spawnSystem(dataDir, { ANNEAL_BOOTSTRAP_API_KEY: key });
  });
  afterAll(async () => {
    await system.end();
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
    const answer = await fetch(`${url}/projects`, { headers: { 'x-api-key': key } });
    return ((await answer.json()) as { projects: readonly { name: string }[] }).projects.map(({ name }) => name);
  };
  const create = (name: string) =>
    fetch(`${system.url}/projects`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    });

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

  it.each([
    ['yesterday', /must be a time such as/],
    ['2999-01-01', /2999-01-01 must not be in the future/],
  ])('refuses %s in one line', async (at, message) => {
    const { status, err } = await runProgram(ANNEAL, ['projections', 'at', at], environment());
    expect(status).toBe(1);
    expect(err.trim().split('\n')).toEqual([expect.stringMatching(message)]);
    expect(await readdir(temporary)).toEqual([]);
  });
});
