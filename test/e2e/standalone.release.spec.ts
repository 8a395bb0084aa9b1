import { once } from 'node:events';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '#apps/demo/client.js';
import { spawnSystem, type SpawnedSystem } from '#apps/demo/system.js';
import { newApiKey } from '#primitives/secrets/index.js';
import { jsonLines, OPERATOR_SLIPS, runProgram } from '#test/support/run-program.js';

const MAIN = join(import.meta.dirname, '..', '..', 'apps', 'standalone', 'main.js');
const CLI = join(import.meta.dirname, '..', '..', '..', 'apps', 'cli', 'bin', 'anneal.mjs');

describe('one process with all roles', () => {
  let directory: string;
  let system: SpawnedSystem;
  const key = newApiKey();
  const anneal = (...args: string[]) => runProgram(CLI, args, { ANNEAL_DATA_DIR: directory });
  const statusWith = async (secret: string) =>
    (await fetch(`${system.url}/list-api-keys`, { headers: { 'x-api-key': secret } })).status;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-e2e-'));
    system = await spawnSystem(directory, { ANNEAL_BOOTSTRAP_API_KEY: key });
  });

  afterAll(async () => {
    await system.end();
    await rm(directory, { recursive: true, force: true });
  });

  it('accepts the key of its first start', async () => {
    expect(await statusWith(key)).toBe(200);
  });

  it('protects its secret and its operator socket by file permissions', async () => {
    for (const file of ['secret.key', 'operator.sock'])
      expect(((await stat(join(directory, file))).mode & 0o777).toString(8)).toBe('600');
  });

  it('accepts a key made at the command line at once, and refuses it at once after revocation', async () => {
    const [made] = jsonLines((await anneal('key', 'create', 'laptop', '--json')).out);
    expect(await statusWith(made.secretKey)).toBe(200);
    expect(jsonLines((await anneal('key', 'list', '--json')).out)).toContainEqual(
      expect.objectContaining({ id: made.id, name: 'laptop' }),
    );
    await anneal('key', 'revoke', made.id, '--json');
    expect(await statusWith(made.secretKey)).toBe(401);
  });

  it('replays the log, which contains no secret', async () => {
    const { out } = await anneal('events', 'replay', '--json');
    expect(jsonLines(out).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['team-created.v1', 'api-key-created.v1']),
    );
    expect(out).not.toContain(key);
  });

  it('shows and rebuilds read models while it runs', async () => {
    const { out, status } = await anneal('projections', 'rebuild', 'api-keys', '--json');
    expect(status).toBe(0);
    expect(jsonLines(out).at(-1)).toMatchObject({ name: 'api-keys', state: 'live' });
    expect(await statusWith(key)).toBe(200);
  });

  it.each(OPERATOR_SLIPS)('fails for %j with one helpful line', async (args, message) => {
    const { status, err } = await anneal(...args);
    expect(status).toBe(1);
    expect(err).toMatch(message);
    expect(err).not.toMatch(/at .*\.js/);
  });

  it('locks its folder against a second process, in one line', async () => {
    const second = await runProgram(MAIN, [], { ANNEAL_DATA_DIR: directory, PORT: '0' });
    expect(second.status).toBe(1);
    expect(second.err.trim().split('\n')).toEqual([expect.stringContaining(directory)]);
  });

  // The line of each setting: libs/settings/settings.spec.ts.
  it('stops its start for a bad setting with one line that names it', async () => {
    const { status, err } = await runProgram(MAIN, [], { ANNEAL_DATA_DIR: directory, ANNEAL_DURABILITY: 'some' });
    expect(status).toBe(1);
    expect(err.trim().split('\n')).toEqual([expect.stringContaining('ANNEAL_DURABILITY')]);
  });

  it.each([
    ['HOST', { HOST: 'no-such-host.invalid' }, null],
    ['HOST', { HOST: '192.0.2.1' }, null],
    // Stands in for a read-only folder, which root may write.
    ['ANNEAL_DATA_DIR', {}, 'coordination.db'],
  ])('stops its start for an unusable %s (%j, %s) with one line that names it', async (name, env, blocked) => {
    const folder = await mkdtemp(join(tmpdir(), 'anneal-e2e-'));
    if (blocked) await mkdir(join(folder, blocked));
    const { status, err, out } = await runProgram(MAIN, [], { ANNEAL_DATA_DIR: folder, PORT: '0', ...env });
    await rm(folder, { recursive: true, force: true });
    expect([status, out]).toEqual([1, '']);
    expect(err.trim().split('\n')).toEqual([expect.stringContaining(name)]);
  });

  it('stops its start for an occupied PORT with one line that names it', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const folder = await mkdtemp(join(tmpdir(), 'anneal-e2e-'));
    const { port } = other.address() as AddressInfo;
    const { status, err, out } = await runProgram(MAIN, [], { ANNEAL_DATA_DIR: folder, PORT: String(port) });
    other.close();
    await rm(folder, { recursive: true, force: true });
    expect([status, out]).toEqual([1, '']);
    expect(err.trim().split('\n')).toEqual([expect.stringMatching(new RegExp(`PORT.*${port}|${port}.*PORT`))]);
  });

  it('ends cleanly on SIGTERM, and has all acknowledged writes after the next start', async () => {
    const client = new Client(system.url, key);
    const project = await client.post<{ id: string }>('/projects', { name: 'kept' });
    expect(await system.end()).toBe(0);
    const [newest] = jsonLines((await anneal('events', 'tail', '--last', '1', '--json')).out);
    expect(newest).toMatchObject({ type: 'project-created.v1' });
    system = await spawnSystem(directory, {});
    const { projects } = await new Client(system.url, key).get<{ projects: { id: string }[] }>('/projects');
    expect(projects.map(({ id }) => id)).toContain(project.id);
  });

  it('starts after SIGKILL without help, with every acknowledged write', async () => {
    const project = await new Client(system.url, key).post<{ id: string }>('/projects', { name: 'killed' });
    await system.end('SIGKILL');
    system = await spawnSystem(directory, {});
    const { projects } = await new Client(system.url, key).get<{ projects: { id: string }[] }>('/projects');
    expect(projects.map(({ id }) => id)).toContain(project.id);
  });
});
