import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { search } from './search.js';

const TEXT = 'Zoë said "7f3a"';

describe('the search for texts in files', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-search-spec-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  const base64 = (before: string) => Buffer.from(`${before}${TEXT} and more`).toString('base64');
  it.each<[string, string | Uint8Array]>([
    ['as it is', `before ${TEXT} after`],
    ['in UTF-16', Buffer.from(`a ${TEXT}`, 'utf16le')],
    ['in JSON', JSON.stringify({ text: TEXT })],
    ['in JSON of ASCII alone', '{"text":"Zo\\u00eb said \\"7f3a\\""}'],
    ['in a URL', `GET /?q=${encodeURIComponent(TEXT)}`],
    ['in hexadecimal', Buffer.from(TEXT).toString('hex')],
    ['in base64, first in a group', base64('')],
    ['in base64, second in a group', base64('a')],
    ['in base64, third in a group', base64('ab')],
    ['in base64 for URLs', Buffer.from(`??${TEXT}`).toString('base64url')],
    ['compressed', gzipSync(JSON.stringify([TEXT]))],
  ])('finds one %s, in a subfolder', async (_, content) => {
    await mkdir(join(directory, 'below'));
    await writeFile(join(directory, 'below', 'file'), content);
    await writeFile(join(directory, 'other'), 'nothing');
    const files = (await search(directory, [TEXT])).map(({ file }) => file);
    expect(new Set(files)).toEqual(new Set(['below/file']));
  });

  it('finds one in a file name', async () => {
    await writeFile(join(directory, 'secret-7f3a.txt'), '');
    expect(await search(directory, ['7f3a'])).toMatchObject([{ file: 'secret-7f3a.txt' }]);
  });

  it('finds one in a database value that is split over pages, also in its write-ahead log', async () => {
    const long = Array.from({ length: 4000 }, (_, n) => `${n} 7f3a`).join();
    const database = new DatabaseSync(join(directory, 'some.db'));
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (value)');
    database.prepare('INSERT INTO t VALUES (?)').run(long);
    const found = await search(directory, [long]);
    expect(found.map(({ file, as }) => ({ file, as }))).toEqual([{ file: 'some.db', as: 'UTF-8, in a database' }]);
    database.close();
  });

  it('finds nothing if there is nothing', async () => {
    await writeFile(join(directory, 'file'), `${TEXT.slice(1)} ${TEXT.slice(0, -1)}`);
    expect(await search(directory, [TEXT])).toEqual([]);
  });
});
