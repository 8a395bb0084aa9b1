import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openDuckDb, type ConfinedDuckDb } from './confined.js';

describe('a confined DuckDB', () => {
  let parent: string;
  let db: ConfinedDuckDb;
  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'confined-'));
    await writeFile(join(parent, 'secret.csv'), 'a\n1\n');
    const folder = join(parent, 'own');
    db = await openDuckDb({ folder, memoryMiB: 64, threads: 1 });
  });
  afterAll(async () => {
    db.close();
    await rm(parent, { recursive: true });
  });

  it.each([
    "FROM read_csv('../secret.csv')",
    "FROM read_csv('PARENT/secret.csv')",
    "FROM read_csv('PARENT/own/../secret.csv')",
    "FROM read_text('/etc/passwd')",
    "FROM glob('PARENT/*')",
    "FROM read_parquet('http://127.0.0.1:1/a.parquet')",
    "COPY (SELECT 1) TO 'PARENT/written.csv'",
    "ATTACH 'PARENT/other.db'",
    'INSTALL httpfs',
    'LOAD httpfs',
    "SET memory_limit = '10GB'",
    'SET enable_external_access = true',
    'SET threads = 64',
    'RESET lock_configuration',
    "SET allowed_directories = ['/']",
  ])('does not run %s', async (sql) => {
    const rows = async () => (await db.connection.runAndReadAll(sql.replaceAll('PARENT', parent))).getRowsJson();
    // A pattern may also match no file.
    const found = await rows().catch((error: unknown) => String(error));
    expect(Array.isArray(found) ? found : found).toEqual(
      Array.isArray(found) ? [] : expect.stringMatching(/disabled|locked|not allowed|Cannot|cannot/i),
    );
  });

  it('stays within its memory', async () => {
    const most = db.connection.run("SELECT string_agg(repeat('a', 1000), '') FROM range(1000000)");
    await expect(most).rejects.toThrow(/Out of Memory/);
  });
});

it('the dataset reader loads the native library only for tables', async () => {
  const program = `
    await import('#rows/formats/index.js');
    const loaded = () => process.report.getReport().sharedObjects.some((name) => name.includes('duckdb'));
    const before = loaded();
    const { openDuckDb } = await import('#rows/formats/duckdb/confined.js');
    (await openDuckDb({ folder: '/nowhere', memoryMiB: 64, threads: 1 })).close();
    console.log(before, loaded());`;
  const root = new URL('../../../../../', import.meta.url);
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { cwd: root });
  expect(stdout.trim()).toBe('false true');
});
