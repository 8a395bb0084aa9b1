import type { KeyStore } from './port.js';

/** The contract of every adapter. @param open opens the same store each time */
export function keyStoreContract(open: () => Promise<KeyStore>): void {
  let store: KeyStore;
  let made = 0;
  const id = () => `book-${Date.now()}-${(made += 1)}`;
  const bytes = (text: string) => Uint8Array.from(Buffer.from(text));

  beforeEach(async () => {
    store = await open();
  });
  afterEach(() => store.close());

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
