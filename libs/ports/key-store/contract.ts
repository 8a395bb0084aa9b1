import { randomBytes } from 'node:crypto';
import { ContentKeys, type ContentKey } from './content-keys.js';
import { openKeyStore, type KeyStoreLocation } from './open.js';
import type { KeyStore } from './port.js';

/** The contract of every adapter. @param location of an empty store */
export function keyStoreContract(location: KeyStoreLocation): void {
  const open = () => openKeyStore(location);
  let store: KeyStore;
  let made = 0;
  const id = () => `book-${Date.now()}-${(made += 1)}`;
  const bytes = (text: string) => Uint8Array.from(Buffer.from(text));

  beforeEach(async () => {
    store = await open();
  });
  afterEach(() => store.close());

  it('has one id of its own, whoever gives it first, which counts as no key', async () => {
    const all = Array.from({ length: 4 }, () => new ContentKeys({ store: location, wrappingKeys: [randomBytes(32)] }));
    const [keys] = all as [ContentKeys];
    expect(await keys.storeId()).toBeNull();
    const ids = new Set(await Promise.all(all.map((each) => each.identify())));
    expect([...ids]).toEqual([await keys.storeId()]);
    expect(await keys.hasKeys()).toBe(false);
    await keys.ready();
    expect(await keys.hasKeys()).toBe(true);
    // A secret that takes over from another one leaves the id as it is.
    await all[1]!.rewrap();
    expect([...ids]).toEqual([await keys.storeId()]);
    await Promise.all(all.map((each) => each.close()));
  });

  it('is not asked for the keys of the first contents, once it was ready', async () => {
    const keys = new ContentKeys({ store: location, wrappingKeys: [randomBytes(32)] });
    await keys.ready();
    const before = await store.ids();
    const made = Array.from({ length: 4_096 }, () => keys.next());
    expect(made.filter((key) => key instanceof Promise)).toEqual([]);
    expect(new Set(made.map((key) => (key as ContentKey).id)).size).toBe(4_096);
    expect(await store.ids()).toEqual(before);
    await keys.close();
  });

  it('has one key of a name, whoever makes it first, and another one once that was destroyed', async () => {
    const [older, newer] = [randomBytes(32), randomBytes(32)];
    const openKeys = (...wrappingKeys: Uint8Array[]) => new ContentKeys({ store: location, wrappingKeys });
    const all = Array.from({ length: 4 }, () => openKeys(older));
    const [keys] = all as [ContentKeys];
    const name = `datasets/${id()}`;
    expect(await keys.named(name)).toBeNull();
    const made = new Set(
      (await Promise.all(all.map((each) => each.make(name)))).map((key) => Buffer.from(key).toString('hex')),
    );
    expect([...made]).toEqual([Buffer.from((await keys.named(name))!).toString('hex')]);
    // A secret that takes over takes the names with it.
    const [both, after] = [openKeys(newer, older), openKeys(newer)];
    expect(await both.rewrap()).toBeGreaterThan(0);
    expect(Buffer.from((await after.named(name))!).toString('hex')).toBe([...made][0]);
    await after.destroyNamed(name);
    await after.destroyNamed(name);
    expect([await after.named(name), (await store.ids()).includes(name)]).toEqual([null, false]);
    expect(made.has(Buffer.from(await after.make(name)).toString('hex'))).toBe(false);
    await Promise.all([...all, both, after].map((each) => each.close()));
  });

  it('has what was stored, also for another that opens it', async () => {
    const one = id();
    expect(await store.get(one)).toBeNull();
    await store.create(one, bytes('a'));
    const other = await open();
    expect(Buffer.from((await other.get(one))!.bytes).toString()).toBe('a');
    await other.close();
  });

  it('refuses a second secret of the same id', async () => {
    const one = id();
    await store.create(one, bytes('a'));
    await expect(store.create(one, bytes('b'))).rejects.toThrow();
    expect(Buffer.from((await store.get(one))!.bytes).toString()).toBe('a');
  });

  it('replaces and removes only the version that was read', async () => {
    const one = id();
    await store.create(one, bytes('a'));
    const { version } = (await store.get(one))!;
    expect(await store.replace(one, version, bytes('b'))).toBe(true);
    expect(await store.replace(one, version, bytes('c'))).toBe(false);
    expect(await store.replace(one, version, null)).toBe(false);
    const now = (await store.get(one))!;
    expect(Buffer.from(now.bytes).toString()).toBe('b');
    expect(await store.replace(one, now.version, null)).toBe(true);
    expect(await store.get(one)).toBeNull();
    expect(await store.replace(one, now.version, bytes('d'))).toBe(false);
  });

  it('lists the ids that are there, and none that was removed', async () => {
    const [one, other] = [id(), id()];
    await store.create(one, bytes('a'));
    await store.create(other, bytes('b'));
    await store.replace(other, (await store.get(other))!.version, null);
    const ids = await store.ids();
    expect([ids.includes(one), ids.includes(other)]).toEqual([true, false]);
  });
}
