import { randomBytes } from 'node:crypto';
import { copyFile, cp, mkdtemp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap, createApiKey, DEFAULT_ADMIN_EMAIL, findUser } from '#application/accounts/index.js';
import { systemContext } from '#log/context.js';
import { LogLostError } from '#ports/event-store/log-lost.js';
import { NO_STREAM, type EventStore } from '#ports/event-store/port.js';
import { openSqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { decodeSecret, hashApiKey } from '#primitives/secrets/index.js';
import { Settings } from '#settings/index.js';
import { startEventStoreServer } from '#test/event-store-server/index.js';
import { compose, type System } from './compose.js';
import { startProblem } from './run-process.js';
import { boundSecret } from '#log/bindings/bound-secret.js';
import { openSecretKey } from '#test/support/open-secret-key.js';
import { StartRefusedError } from './start-refused.js';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'anneal-lost-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const settingsWith = (values: Partial<Settings> = {}) => new Settings({ dataDir, durability: 'normal', ...values });
const inFolder = (name: string) => join(dataDir, name);

async function opened<T>(use: (system: System) => Promise<T>, values: Partial<Settings> = {}): Promise<T> {
  const system = await compose(settingsWith(values));
  try {
    return await use(system);
  } finally {
    await system.close();
  }
}

/** The one line that the operator sees. */
async function refusal(values: Partial<Settings> = {}): Promise<string> {
  const error: unknown = await compose(settingsWith(values)).then(
    async (system) => system.close(),
    (problem: unknown) => problem,
  );
  const line = startProblem(error);
  expect([error, line]).toEqual([expect.any(Error), expect.stringMatching(/^[^\n]+$/)]);
  return line!;
}

/** A system with a user and a key. @returns the key's hash */
const used = (values: Partial<Settings> = {}): Promise<string> =>
  opened(async ({ application, secret, settings }) => {
    const { user } = await bootstrap(application, secret, settings);
    const context = systemContext('test', null);
    const { secretKey } = await createApiKey(application, secret, user, { name: 'k', expiresAt: null }, context);
    return hashApiKey(secret, secretKey);
  }, values);

describe('a start without the log', () => {
  it.each([
    ['is missing', () => rm(inFolder('log.db'))],
    ['is empty', () => truncate(inFolder('log.db'), 0)],
  ])('is refused if other data show that one existed and log.db %s, and changes nothing', async (_, lose) => {
    await used();
    const before = await readdir(dataDir, { recursive: true });
    await lose();
    const line = await refusal();
    expect(line).toMatch(/log\.db is missing or empty, but there was one \(found: .*coordination\.db.*read/);
    expect(line).toMatch(/Put log\.db back from the backup.*ANNEAL_DATA_DIR/);
    const after = await readdir(dataDir, { recursive: true });
    expect(before.filter((name) => !after.includes(name) && !/^log\.db/.test(name))).toEqual([]);
  });

  it.each([['coordination.db'], ['read'], ['objects']])('is refused if only %s is left', async (name) => {
    await used();
    await opened(({ objectStore }) => objectStore.put('a/b', Buffer.from('x')));
    for (const other of await readdir(dataDir)) if (other !== name) await rm(inFolder(other), { recursive: true });
    expect(await refusal()).toContain(`found: ${inFolder(name)})`);
    // No new secret replaces the log's own.
    expect(await readdir(dataDir)).not.toContain('secret.key');
  });

  it('is refused if only its write-ahead log is left', async () => {
    await writeFile(inFolder('log.db-wal'), randomBytes(4_096));
    expect(await refusal()).toContain('log.db-wal');
  });

  it('creates a new log in a folder that contains a secret and nothing else', async () => {
    openSecretKey(dataDir, null);
    await opened(async ({ application }) => {
      expect((await boundSecret(application.ports.eventStore)).fingerprint).toBe(
        openSecretKey(dataDir, null).fingerprint,
      );
    });
  });

  it('succeeds once the log is put back', async () => {
    const keyHash = await used();
    await copyFile(inFolder('log.db'), `${dataDir}.backup`);
    await rm(inFolder('log.db'));
    await refusal();
    await copyFile(`${dataDir}.backup`, inFolder('log.db'));
    await rm(`${dataDir}.backup`);
    expect(await streamExists(`key-${keyHash}`)).toBe(true);
  });

  it('is refused with another log than the one that coordination belongs to', async () => {
    await used();
    const other = await openSqliteEventStore({ directory: inFolder('other') });
    await other.close();
    await rm(inFolder('log.db'));
    await copyFile(inFolder('other/log.db'), inFolder('log.db'));
    expect(await refusal()).toMatch(/is not the one that .* belong to/);
  });

  it('is refused with an EventStoreDB that was emptied or replaced', async () => {
    const first = await startEventStoreServer();
    const at = ({ address }: { readonly address: string }): Partial<Settings> => ({
      eventStore: { adapter: 'eventstoredb', address },
      secretKey: 's'.repeat(40),
    });
    await used(at(first));
    await used(at(first));
    await first.close();
    const emptied = await startEventStoreServer();
    await expect(compose(settingsWith(at(emptied)))).rejects.toBeInstanceOf(LogLostError);
    expect(await refusal(at(emptied))).toMatch(/holds no event log, but there was one/);

    const elsewhere = await mkdtemp(join(tmpdir(), 'anneal-lost-'));
    await (await compose(new Settings({ ...settingsWith(at(emptied)), dataDir: elsewhere }))).close();
    await expect(compose(settingsWith(at(emptied)))).rejects.toBeInstanceOf(StartRefusedError);
    await emptied.close();
    await rm(elsewhere, { recursive: true });
  });
});

describe('the secret of a log', () => {
  const file = () => readFile(inFolder('secret.key'), 'utf8');
  const hashOf = (key: string, values?: Partial<Settings>) =>
    opened(async ({ secret }) => hashApiKey(secret, key), values);

  it("is the same from the file and from ANNEAL_SECRET_KEY with the file's content", async () => {
    await used();
    const fromFile = await hashOf('k');
    const secretKey = await file();
    expect(await hashOf('k', { secretKey })).toBe(fromFile);
    expect(await hashOf('k', { secretKey: secretKey.trim() })).toBe(fromFile);
    await rm(inFolder('secret.key'));
    expect(await hashOf('k', { secretKey })).toBe(fromFile);
  });

  it('is the only accepted one: another file, another setting and a missing file are refused, and nothing is created', async () => {
    await used();
    const own = await file();
    expect(await refusal({ secretKey: 'another secret of more than 32 characters' })).toMatch(
      /^ANNEAL_SECRET_KEY is not the secret .*anneal secret replace/,
    );
    await writeFile(inFolder('secret.key'), `${'ab'.repeat(32)}\n`);
    expect(await refusal()).toMatch(/^secret\.key in .* is not the secret .*restore/);
    await rm(inFolder('secret.key'));
    expect(await refusal()).toMatch(/^secret\.key is missing .*put it back/);
    expect(await readdir(dataDir)).not.toContain('secret.key');
    await writeFile(inFolder('secret.key'), own);
    await hashOf('k');
  });

  it('can be replaced for good when it was lost', async () => {
    await used();
    const before = await hashOf('k');
    await rm(inFolder('secret.key'));
    await (await compose(settingsWith(), { replaceSecret: true })).close();
    const after = await hashOf('k');
    expect(after).not.toBe(before);
    expect(await hashOf('k')).toBe(after);
    await opened(async ({ application }) => {
      const types = (await Array.fromAsync(application.ports.eventStore.readStream('log-secret'))).map(
        ({ type, data }) => [type, Object.keys(data)],
      );
      expect(types).toEqual([['log-secret-bound.v1', ['fingerprint', 'replaced', 'boundAt']]]);
    });
    // Repeating it changes nothing.
    await (await compose(settingsWith(), { replaceSecret: true })).close();
    expect(await hashOf('k')).toBe(after);
  });

  const digits = 'cd'.repeat(32);
  it.each([
    ['a file', null],
    ['a setting of 64 digits', digits],
    ['a setting of other characters', 'hunter2'.repeat(6)],
  ])('in %s is bound to a log that names none, at the next start', async (_, given) => {
    await (await openSqliteEventStore({ directory: dataDir })).close();
    if (given === null) await writeFile(inFolder('secret.key'), `${digits}\n`);
    const expected = hashApiKey(decodeSecret(given ?? digits), 'k');
    expect(await hashOf('k', { secretKey: given })).toBe(expected);
    expect(await hashOf('k', { secretKey: given })).toBe(expected);
    expect(await refusal({ secretKey: 'x'.repeat(32) })).toContain('is not the secret');
  });

  it('is identified by a fingerprint that does not reveal it', async () => {
    const secret = decodeSecret('s'.repeat(40));
    expect(secret.fingerprint).toMatch(/^[0-9a-f]{16}$/);
    expect(decodeSecret('t'.repeat(40)).fingerprint).not.toBe(secret.fingerprint);
    await used();
    const log = (await readFile(inFolder('log.db'))).toString('latin1');
    expect(log).not.toContain((await file()).trim());
  });
});

describe('the objects of a log', () => {
  const stored = () => inFolder('objects');

  it('are refused when they are gone or of another log, until the operator goes on without them', async () => {
    await used();
    await rename(stored(), inFolder('kept'));
    expect(await refusal()).toMatch(/^the files of datasets and models are gone.*anneal objects replace/);
    expect(await refusal()).toMatch(/^the files of datasets and models are gone/);
    const other = await mkdtemp(join(tmpdir(), 'anneal-lost-'));
    await used({ dataDir: other });
    await rm(stored(), { recursive: true });
    await rename(join(other, 'objects'), stored());
    await rm(other, { recursive: true });
    expect(await refusal()).toMatch(/^the object store belongs to another event log/);
    await (await compose(settingsWith(), { replaceObjects: true })).close();
    await used();
  });

  it('make a running system not ready while they are gone', async () => {
    await opened(async ({ healthSources }) => {
      const health = () => healthSources.find(({ name }) => name === 'object-store')!.check();
      expect(await health()).toMatchObject({ status: 'up' });
      await rename(stored(), inFolder('kept'));
      expect(await health()).toEqual({ status: 'down', details: { reason: 'objects_gone' } });
      await rename(inFolder('kept'), stored());
      expect(await health()).toMatchObject({ status: 'up' });
    });
  });
});

describe('the keys of a log', () => {
  const emailOf = (values?: Partial<Settings>) =>
    opened(async ({ application, settings }) => {
      const user = await findUser(application, settings.adminEmail ?? DEFAULT_ADMIN_EMAIL);
      return user!.email;
    }, values);
  const bindings = () =>
    opened(async ({ application }) =>
      (await Array.fromAsync(application.ports.eventStore.readStream('log-keys'))).map(({ type, data }) => ({
        type,
        replaced: data['replaced'],
      })),
    );

  it('are the same at each start, and refused by name when missing, without creating new ones', async () => {
    await used();
    await used();
    expect(await bindings()).toEqual([{ type: 'log-keys-bound.v1', replaced: null }]);
    await cp(inFolder('keys'), inFolder('kept'), { recursive: true });
    for (const lost of ['keys/content-keys.db', 'keys']) {
      await rm(inFolder(lost), { recursive: true });
      expect(await refusal()).toMatch(
        /^the keys of contents are missing.*put content-keys\.db in .*keys back .*anneal content-keys replace/,
      );
      expect(await readdir(dataDir, { recursive: true })).not.toContain('keys/content-keys.db');
    }
    await cp(inFolder('kept'), inFolder('keys'), { recursive: true });
    expect(await emailOf()).toBe(DEFAULT_ADMIN_EMAIL);
  });

  it('are refused when their file is empty, or belongs to another log', async () => {
    await used();
    await truncate(inFolder('keys/content-keys.db'), 0);
    expect(await refusal()).toMatch(/^the keys of contents are missing/);
    const other = await mkdtemp(join(tmpdir(), 'anneal-lost-'));
    await used({ dataDir: other });
    await cp(join(other, 'keys'), inFolder('keys'), { recursive: true });
    expect(await refusal()).toMatch(/^the keys of contents .* are not those that this event log was encrypted with/);
    await rm(other, { recursive: true });
  });

  it('can be in another folder by a setting, and are refused if it names the wrong one', async () => {
    const elsewhere: Partial<Settings> = { contentKeys: { adapter: 'sqlite', directory: `${dataDir}-keys` } };
    await used(elsewhere);
    expect(await readdir(dataDir)).not.toContain('keys');
    expect(await readdir(`${dataDir}-keys`)).toEqual(['content-keys.db']);
    expect(await emailOf(elsewhere)).toBe(DEFAULT_ADMIN_EMAIL);
    expect(await refusal()).toMatch(/^the keys of contents are missing/);
    await rename(`${dataDir}-keys`, inFolder('keys'));
    expect(await emailOf()).toBe(DEFAULT_ADMIN_EMAIL);
  });

  it('can be replaced when they were lost for good, and their contents stay unreadable', async () => {
    await used();
    expect(await emailOf()).toBe(DEFAULT_ADMIN_EMAIL);
    await rm(inFolder('keys'), { recursive: true });
    await (await compose(settingsWith(), { replaceKeys: true })).close();
    expect(await emailOf()).toBeNull();
    // Repeating it changes nothing.
    await (await compose(settingsWith(), { replaceKeys: true })).close();
    expect(await bindings()).toMatchObject([{ replaced: null }, { replaced: expect.any(String) }]);
    await used();
    expect(await emailOf()).toBe(DEFAULT_ADMIN_EMAIL);
  });

  /** A log that names no keys. */
  const unbound = async (use: (append: EventStore['append']) => Promise<unknown> = async () => null) => {
    openSecretKey(dataDir, null);
    const store = await openSqliteEventStore({ directory: dataDir });
    await use(store.append.bind(store));
    await store.close();
  };

  it('are bound at the first start of a log that names none, and refused when missing if anything was encrypted', async () => {
    await unbound();
    expect(await bindings()).toMatchObject([{ replaced: null }]);
    const ofUser = await opened(async ({ application }) => {
      await bootstrap(application, openSecretKey(dataDir, null), settingsWith());
      const events = await Array.fromAsync(
        application.storedEvents.readAll({ filter: { types: ['user-registered.v1'] } }),
      );
      return events[0]!;
    });
    await cp(inFolder('keys'), inFolder('kept'), { recursive: true });
    for (const name of await readdir(dataDir))
      if (name !== 'kept' && name !== 'secret.key') await rm(inFolder(name), { recursive: true });
    const { id, type, stream, data, metadata } = ofUser;
    await unbound((append) => append(stream, NO_STREAM, [{ id, type, data, metadata }]));
    expect(await refusal()).toMatch(/^the keys of contents are missing/);
    await cp(inFolder('kept'), inFolder('keys'), { recursive: true });
    expect(await emailOf()).toBe(DEFAULT_ADMIN_EMAIL);
    expect(await bindings()).toMatchObject([{ replaced: null }]);
  });

  it('are required by a log on EventStoreDB too, in every process', async () => {
    const server = await startEventStoreServer();
    const values: Partial<Settings> = {
      eventStore: { adapter: 'eventstoredb', address: server.address },
      secretKey: 's'.repeat(40),
    };
    await used(values);
    expect(await emailOf(values)).toBe(DEFAULT_ADMIN_EMAIL);
    await rm(inFolder('keys'), { recursive: true });
    expect(await refusal(values)).toMatch(/^the keys of contents are missing/);
    await server.close();
  });
});

it('a backup of the whole folder is a complete system', async () => {
  const keyHash = await used();
  const copy = `${dataDir}-copy`;
  await cp(dataDir, copy, { recursive: true });
  await rm(dataDir, { recursive: true });
  dataDir = copy;
  expect(await streamExists(`key-${keyHash}`)).toBe(true);
});

const streamExists = (stream: string): Promise<boolean> =>
  opened(async ({ application }) => {
    const events = await Array.fromAsync(application.ports.eventStore.readStream(stream));
    return events.length > 0;
  });
