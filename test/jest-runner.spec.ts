import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

describe('the spec runner', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'jest-runner-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** @returns what failed, by file, when these spec files are run one after another in one process */
  async function failures(...sources: readonly string[]): Promise<readonly (string | null)[]> {
    const files = sources.map((_, index) => join(folder, `${index}.spec.mjs`));
    await Promise.all(files.map((file, index) => writeFile(file, sources[index]!)));
    const config = {
      ...{ rootDir: folder, testMatch: ['**/*.spec.mjs'], transform: {}, moduleFileExtensions: ['mjs', 'js'] },
      ...{ runner: join(ROOT, 'scripts/jest-runner.mjs'), testSequencer: join(folder, 'sequencer.cjs') },
    };
    await writeFile(
      join(folder, 'sequencer.cjs'),
      'module.exports = class { sort(tests) { return [...tests].sort((a, b) => a.path.localeCompare(b.path)); } cacheResults() {} };',
    );
    const report = join(folder, 'report.json');
    const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
    const options = ['--config', JSON.stringify(config), '--maxWorkers', '1', '--json', '--outputFile', report];
    await new Promise<void>((done) => void execFile(process.execPath, [jest, ...options], { cwd: ROOT }, () => done()));
    const { testResults } = (await import(report, { with: { type: 'json' } })).default as {
      testResults: { name: string; status: string; message: string }[];
    };
    return files.map((file) => {
      const { status, message } = testResults.find(({ name }) => name === file)!;
      return status === 'passed' ? null : message;
    });
  }

  it('passes valid specs', async () => {
    expect(await failures(`it('adds', () => expect(1 + 1).toBe(2));`)).toEqual([null]);
  });

  it('fails a file for unawaited errors: in a test, in a hook, and after its end in the next file', async () => {
    const failed = await failures(
      `it('x', async () => { await 1; void Promise.reject(new Error('rejected late')); });`,
      `it('x', () => { setImmediate(() => { throw new Error('thrown late'); }); });`,
      `it('x', () => {}); afterAll(() => { void (async () => expect('hook').toBe('awaited'))(); });`,
      `it('x', () => { process.once('message', () => { throw new Error('thrown after the end'); }); });`,
      `it('x', () => {});`,
    );
    expect(failed).toEqual([
      expect.stringContaining('rejected late'),
      expect.stringContaining('thrown late'),
      expect.stringContaining('awaited'),
      null,
      expect.stringContaining('thrown after the end'),
    ]);
  });

  it('fails a file that cannot be loaded, or ends its process, and continues with the others', async () => {
    const failed = await failures(
      `throw Object.assign(new Error('not loaded'), { cannotBeSent() {} });`,
      `it('x', () => process.exit(0));`,
      `it('x', () => {});`,
    );
    expect(failed).toEqual([
      expect.stringContaining('not loaded'),
      expect.stringContaining('process.exit(0) was called'),
      null,
    ]);
  });

  it('closes what files share after the last of them', async () => {
    const closed = JSON.stringify(join(folder, 'closed'));
    const close = `async () => (await import('node:fs')).writeFileSync(${closed}, '')`;
    const failed = await failures(
      `it('x', () => void globalThis[Symbol.for('anneal.shared')].push(${close}));`,
      `import { existsSync } from 'node:fs'; it('x', () => expect(existsSync(${closed})).toBe(false));`,
    );
    expect(failed).toEqual([null, null]);
    expect(existsSync(join(folder, 'closed'))).toBe(true);
  });

  it('fails every file that did not run when its process was killed', async () => {
    const failed = await failures(`it('x', () => process.kill(process.pid, 'SIGKILL'));`, `it('x', () => {});`);
    expect(failed).toEqual([expect.stringContaining('SIGKILL'), expect.stringContaining('SIGKILL')]);
  });
});
