import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { keyStoreContract } from '../contract.js';
import { SqliteKeyStore } from './index.js';
import { KEYS_FILE } from './keys-file.js';

describe('keys of contents on SQLite', () => {
  const directory = mkdtempSync(join(tmpdir(), 'anneal-keys-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  keyStoreContract({ adapter: 'sqlite', directory });

  it('has no file from which a replaced secret can be recovered', async () => {
    const store = new SqliteKeyStore(directory);
    await store.create('canary', Buffer.from('a secret that is replaced'));
    await store.create('other', Buffer.from('a secret that stays'));
    const found = (text: string) =>
      readdirSync(directory).some((file) => readFileSync(join(directory, file)).includes(text));
    expect(found('a secret that is replaced')).toBe(true);
    await store.replace('canary', 1, Buffer.from('short'));
    expect(found('a secret that is replaced')).toBe(false);
    expect(found('a secret that stays')).toBe(true);
    await store.close();
  });

  it('is refused with a trigger, by which a destroyed key would stay', async () => {
    await new SqliteKeyStore(directory).close();
    const file = new DatabaseSync(join(directory, KEYS_FILE));
    file.exec(`CREATE TABLE kept (bytes BLOB);
      CREATE TRIGGER quiet BEFORE DELETE ON secrets BEGIN INSERT INTO kept VALUES (OLD.bytes); END`);
    file.close();
    expect(() => new SqliteKeyStore(directory)).toThrow(/has a trigger \("quiet"\), which Anneal never makes/);
  });
});
