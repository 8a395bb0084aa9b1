import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSecretKey } from '#test/support/open-secret-key.js';
import { hashApiKey, hashPassword, hashToken, newApiKey, SecretKey, verifyPassword } from './index.js';

describe('the secret key', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'anneal-secrets-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is created once, readable by its owner only, and then reused', () => {
    const first = openSecretKey(folder, null);
    expect(statSync(join(folder, 'secret.key')).mode & 0o777).toBe(0o600);
    const second = openSecretKey(folder, null);
    expect(second.derive('sessions')).toEqual(first.derive('sessions'));
  });

  it('is refused, not replaced, if its file is damaged', () => {
    openSecretKey(folder, null);
    const path = join(folder, 'secret.key');
    chmodSync(path, 0o600);
    writeFileSync(path, readFileSync(path, 'utf8').slice(0, 20));
    expect(() => openSecretKey(folder, null)).toThrow(/damaged/);
    expect(readFileSync(path, 'utf8')).toHaveLength(20);
  });

  it('creates no file if it is given', () => {
    openSecretKey(folder, 'x'.repeat(32));
    expect(() => statSync(join(folder, 'secret.key'))).toThrow();
  });

  it('gives a different key for each purpose', () => {
    const secret = openSecretKey(folder, null);
    const keys = (['upload-signatures', 'key-hashes', 'sessions', 'sealing'] as const).map((purpose) =>
      secret.derive(purpose).toString('hex'),
    );
    expect(new Set(keys).size).toBe(4);
  });

  it('is never shown by JSON output of objects', () => {
    expect(JSON.stringify({ secret: new SecretKey(Buffer.alloc(32, 7)) })).toBe('{"secret":"[secret]"}');
  });
});

describe('API keys', () => {
  it('have 256 random bits after their prefix', () => {
    const keys = new Set(Array.from({ length: 100 }, newApiKey));
    expect(keys.size).toBe(100);
    for (const key of keys) expect(key).toMatch(/^pio_sk_[\w-]{43}$/);
  });

  it('are stored as a hash that only this installation can compute', () => {
    const key = newApiKey();
    const [one, other] = [new SecretKey(Buffer.alloc(32, 1)), new SecretKey(Buffer.alloc(32, 2))];
    expect(hashApiKey(one, key)).toBe(hashApiKey(one, key));
    expect(hashApiKey(one, key)).not.toBe(hashApiKey(other, key));
    expect(hashApiKey(one, key)).not.toBe(hashToken(one, key));
  });
});

describe('passwords', () => {
  it('are stored as Argon2id verifiers, each with its own salt', async () => {
    const [one, two] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(two);
    expect(await verifyPassword(one, 'correct horse')).toBe(true);
    expect(await verifyPassword(one, 'wrong horse')).toBe(false);
  });

  it('never match for an unknown user', async () => {
    expect(await verifyPassword(null, 'nobody has this password')).toBe(false);
  });

  it('are wrong, not an error, for a damaged verifier', async () => {
    expect(await verifyPassword('damaged', 'x')).toBe(false);
  });
});
