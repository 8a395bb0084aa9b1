import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '#domain/json.js';
import { startStandalone, type Standalone } from '#apps/standalone/standalone.js';
import { newApiKey } from '#primitives/secrets/index.js';
import { Settings } from '#settings/index.js';

const CLI = fileURLToPath(new URL('./main.js', import.meta.url));
const KEY = newApiKey();

interface CutFile {
  readonly name: string;
  readonly chunks: readonly string[];
}

/** `anneal backup` and `anneal restore` as an operator runs them, on a system that is used meanwhile. */
describe('a system that was backed up while it ran', () => {
  let root: string;
  let acknowledged = 0;
  let said: string;
  const at = (name: string) => join(root, name);

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'anneal-backups-'));
    const system = await started('data');
    const answer = await call(system, '/inference', {
      ...{ model_id: 'anneal/encoder-base-v1', text: 'Maria went to Lisbon.', schema: ['person'] },
    });
    said = (JSON.parse(answer) as { inference_id: string }).inference_id;
    for (; acknowledged < 20; acknowledged += 1) await call(system, '/projects', { name: `before-${acknowledged}` });
    let isDone = false;
    const writing = (async () => {
      for (let count = 0; !isDone; count += 1) await call(system, '/projects', { name: `meanwhile-${count}` });
    })();
    await cli('data', 'backup', at('backups'));
    await cli('data', 'backup', at('backups'), '--keys', at('kept-keys'));
    isDone = true;
    await writing;
    await system.close();
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  const started = (name: string): Promise<Standalone> =>
    startStandalone(new Settings({ dataDir: at(name), port: 0, logLevel: 'silent', bootstrapApiKey: KEY }));
  const call = async ({ url }: Standalone, path: string, body?: object): Promise<string> => {
    const response = await fetch(url + path, {
      headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    const text = await response.text();
    expect([response.status, text]).toEqual([200, expect.any(String)]);
    return text;
  };
  const cli = (name: string, ...args: string[]) =>
    new Promise<{ code: number; frames: JsonObject[]; stderr: string }>((resolve) => {
      const env = { ...process.env, ANNEAL_DATA_DIR: at(name) };
      execFile(process.execPath, [CLI, ...args, '--json'], { env }, (error, stdout, stderr) => {
        const frames = stdout
          .split('\n')
          .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as JsonObject] : []));
        resolve({ code: error ? (error.code as number) : 0, frames, stderr });
      });
    });
  const stepsOf = ({ frames }: { frames: JsonObject[] }) => frames.map(({ step }) => step);
  /** Starts it, and asks for all that was acknowledged. */
  const worksIn = async (name: string, { hasContents = true } = {}) => {
    const system = await started(name);
    try {
      const { total } = JSON.parse(await call(system, '/projects?limit=1')) as { total: number };
      expect(total).toBeGreaterThanOrEqual(acknowledged);
      const content = await call(system, `/inferences/${said}`);
      expect(content.includes('Maria went to Lisbon.')).toBe(hasContents);
    } finally {
      await system.close();
    }
  };
  /** The folder as the system left it, without something. */
  const without = async (name: string, ...lost: string[]) => {
    await cp(at('data'), at(name), { recursive: true });
    for (const each of lost) await rm(join(at(name), each), { recursive: true, force: true });
  };

  it('is verified, and restored into an empty folder with all that was acknowledged before, with the secret and the keys', async () => {
    expect(await cli('data', 'backup', 'verify', at('backups'))).toMatchObject({ code: 0 });
    const { frames } = await cli('data', 'backup', 'list', at('backups'));
    expect(frames).toMatchObject([{ state: 'whole' }, { state: 'whole' }]);
    const first = frames[0]!['id'] as string;
    const restored = await cli('all', 'restore', at('backups'), '--backup', first, '--keys', at('kept-keys'));
    expect([restored.code, stepsOf(restored)]).toEqual([0, ['restored', 'not compared', 'lost', 'verified']]);
    expect(restored.frames[2]!['what']).toMatch(/^the secret is not there/);
    await cp(join(at('data'), 'secret.key'), join(at('all'), 'secret.key'));
    await worksIn('all');
  });

  it('says what is lost without the keys of contents, is refused without them, and goes on without them when told', async () => {
    const restored = await cli('keyless', 'restore', at('backups'));
    expect([restored.code, stepsOf(restored)]).toEqual([0, ['restored', 'not compared', 'lost', 'lost', 'verified']]);
    expect(restored.frames[2]!['what']).toMatch(/the keys of contents are not there.*what recorded calls said/);
    await cp(join(at('data'), 'secret.key'), join(at('keyless'), 'secret.key'));
    await expect(started('keyless')).rejects.toThrow(/the keys of contents are missing/);
    await cli('keyless', 'content-keys', 'replace', '--yes');
    await worksIn('keyless', { hasContents: false });
  });

  it.each([
    ['objects', ['objects'], []],
    ['keys', ['keys'], ['--only', 'keys', '--keys', 'kept-keys']],
    ['coordination', ['coordination.db', 'coordination.db-wal', 'coordination.db-shm'], ['--only', 'coordination']],
  ])('gets back %s alone when they are lost', async (name, lost, options) => {
    await without(name, ...lost);
    const given = options.length > 0 ? options : ['--only', 'objects'];
    const args = given.map((each) => (each === 'kept-keys' ? at(each) : each));
    const restored = await cli(name, 'restore', at('backups'), ...args, '--no-audit');
    expect([restored.code, restored.stderr]).toEqual([0, '']);
    await worksIn(name);
  });

  it('gets back log, coordination and objects when the log is lost, once what is left is moved away', async () => {
    await without('log', 'log.db');
    const refused = await cli('log', 'restore', at('backups'));
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/is there, and nothing is overwritten|is left from/),
    });
    for (const left of ['coordination.db', 'log.db-wal', 'coordination.db-wal'])
      await rename(join(at('log'), left), at(`left-${left}`)).catch(() => undefined);
    expect((await cli('log', 'restore', at('backups'))).code).toBe(0);
    await worksIn('log');
  });

  it('is not restored from a backup of another installation, of another secret or with exchanged files, and the folder stays empty', async () => {
    const restored = async (name: string, secret: string) => {
      await mkdir(at(name));
      await writeFile(join(at(name), 'secret.key'), secret);
      const { code, stderr } = await cli(name, 'restore', at('backups'));
      expect(await readdir(at(name))).not.toContain('log.db');
      return [code, stderr];
    };
    expect(await restored('other secret', '1'.repeat(64))).toEqual([
      1,
      expect.stringMatching(/made under another secret, or changed since/),
    ]);
    expect(await cli('other secret', 'backup', 'verify', at('backups'))).toMatchObject({ code: 1 });
    const secret = await readFile(join(at('data'), 'secret.key'), 'utf8');
    await cp(at('backups'), at('changed'), { recursive: true });
    const [id] = (await readdir(join(at('changed'), 'objects', 'backups'))).toSorted().slice(-1);
    const facts = join(at('changed'), 'objects', 'backups', id!, 'backup.json');
    const known = JSON.parse(await readFile(facts, 'utf8')) as { log: object };
    await writeFile(facts, JSON.stringify({ ...known, log: { ...known.log, position: '1' } }));
    await mkdir(at('same secret'));
    await writeFile(join(at('same secret'), 'secret.key'), secret);
    expect(await cli('same secret', 'restore', at('changed'))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/changed since/),
    });
    expect(await readdir(at('same secret'))).not.toContain('log.db');
    expect((await cli('data', 'backup', 'list', at('changed'))).frames.at(-1)).toMatchObject({ state: 'not signed' });
    // Without the secret nothing can be compared with it, and that is said.
    expect(stepsOf(await cli('no secret', 'restore', at('changed')))).toContain('not compared');
  });

  it('with a log that was cut to a part of its pages is named damaged by the audit, not by a stack trace', async () => {
    await cp(at('backups'), at('cut'), { recursive: true });
    const folder = join(at('cut'), 'objects', 'backups');
    const [id] = (await readdir(folder)).toSorted().slice(-1);
    const manifest = join(folder, id!, 'manifest.jsonl');
    const files = (await readFile(manifest, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as CutFile);
    const target = join(at('cut'), 'objects', 'chunks');
    const lines = [];
    for (const file of files) {
      if (file.name !== 'log.db') lines.push(JSON.stringify(file));
      else {
        const whole = await readFile(join(target, file.chunks[0]!.slice(0, 2), file.chunks[0]!));
        const cut = whole.subarray(0, 4096 * 3);
        const sha256 = createHash('sha256').update(cut).digest('hex');
        await mkdir(join(target, sha256.slice(0, 2)), { recursive: true });
        await writeFile(join(target, sha256.slice(0, 2), sha256), cut);
        lines.push(JSON.stringify({ ...file, size: cut.length, sha256, chunks: [sha256] }));
      }
    }
    const text = lines.join('\n');
    await writeFile(manifest, text);
    const facts = join(folder, id!, 'backup.json');
    const known = JSON.parse(await readFile(facts, 'utf8')) as object;
    const sha256 = createHash('sha256').update(text).digest('hex');
    await writeFile(facts, JSON.stringify({ ...known, manifest: { size: text.length, sha256 } }));
    const restored = await cli('cut restored', 'restore', at('cut'));
    expect([restored.code, restored.stderr.includes('    at ')]).toEqual([1, false]);
    expect(restored.stderr + JSON.stringify(restored.frames)).toMatch(/database disk image is malformed/);
  });

  it('is not restored below a running system', async () => {
    await without('running');
    const system = await started('running');
    try {
      const refused = await cli('running', 'restore', at('backups'));
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/is in use by another process/) });
    } finally {
      await system.close();
    }
  });
});
