import { createHash } from 'node:crypto';
import { ObjectNotFoundError, ObjectTooLargeError, type ObjectStore } from './port.js';

/** The promises of every object store adapter. `open` gives an empty store and a function that removes it. */
export function objectStoreContract(
  adapter: string,
  open: () => Promise<{ readonly store: ObjectStore; readonly remove: () => Promise<void> }>,
): void {
  describe(`object store contract: ${adapter}`, () => {
    let store: ObjectStore;
    let remove: () => Promise<void>;
    beforeEach(async () => ({ store, remove } = await open()));
    afterEach(async () => {
      await store.close();
      await remove();
    });

    it('gives back what was put, with its size and sha256', async () => {
      const content = Buffer.from('entities and labels');
      const stored = await store.put('a/b/c.jsonl', content);
      expect(stored).toMatchObject({ key: 'a/b/c.jsonl', size: content.length, sha256: sha256(content) });
      expect(await read('a/b/c.jsonl')).toEqual(content);
      expect((await store.stat('a/b/c.jsonl'))?.size).toBe(content.length);
    });

    it('stores streams, and empty content', async () => {
      const stored = await store.put('stream', chunks(['one ', 'two ', 'three']));
      expect(stored.sha256).toBe(sha256('one two three'));
      expect((await store.put('empty', chunks([]))).size).toBe(0);
      expect(await read('empty')).toEqual(Buffer.alloc(0));
    });

    it('replaces what was there', async () => {
      await store.put('key', Buffer.from('old and longer'));
      await store.put('key', Buffer.from('new'));
      expect(String(await read('key'))).toBe('new');
    });

    it('tells by its version that an object was replaced, be it by as many bytes', async () => {
      await store.put('key', Buffer.from('old'));
      const before = await store.stat('key');
      expect(await store.stat('key')).toEqual(before);
      await store.put('key', Buffer.from('new'));
      const after = await store.stat('key');
      expect([after?.size, after?.version === before?.version]).toEqual([3, false]);
    });

    it('keeps the old object when a replacement fails half way', async () => {
      await store.put('key', Buffer.from('old'));
      await expect(store.put('key', breaking(['half of ']))).rejects.toThrow('source broke');
      expect(String(await read('key'))).toBe('old');
    });

    it('shows nothing of a first write that fails half way', async () => {
      await expect(store.put('key', breaking(['half of ']))).rejects.toThrow('source broke');
      expect(await store.stat('key')).toBeNull();
      expect(await keys('')).toEqual([]);
    });

    it('refuses content beyond maxBytes and keeps nothing of it', async () => {
      await expect(store.put('key', chunks(['12345', '67890']), { maxBytes: 9 })).rejects.toThrow(ObjectTooLargeError);
      expect(await store.stat('key')).toBeNull();
      await store.put('key', chunks(['12345', '6789']), { maxBytes: 9 });
      expect(await store.stat('key')).toMatchObject({ size: 9 });
    });

    it('reads ranges: from start, and up to before end', async () => {
      await store.put('key', Buffer.from('0123456789'));
      expect(String(await read('key', { start: 3 }))).toBe('3456789');
      expect(String(await read('key', { start: 3, end: 5 }))).toBe('34');
      expect(String(await read('key', { start: 3, end: 3 }))).toBe('');
      expect(String(await read('key', { start: 8, end: 50 }))).toBe('89');
    });

    it('says not found for what is not there', async () => {
      await expect(store.get('missing')).rejects.toThrow(ObjectNotFoundError);
      await expect(store.seal('missing', 'to')).rejects.toThrow(ObjectNotFoundError);
      expect(await store.stat('missing')).toBeNull();
      await expect(store.delete('missing')).resolves.toBeUndefined();
    });

    it('seals: the copy stays as it is when its source is replaced or deleted', async () => {
      await store.put('upload', Buffer.from('first'));
      const sealed = await store.seal('upload', 'sources/1');
      expect(sealed).toMatchObject({ key: 'sources/1', size: 5, sha256: sha256('first') });
      await store.put('upload', Buffer.from('second'));
      expect(String(await read('sources/1'))).toBe('first');
      await store.delete('upload');
      expect(String(await read('sources/1'))).toBe('first');
    });

    it('seals again with the same outcome', async () => {
      await store.put('upload', Buffer.from('first'));
      expect(await store.seal('upload', 'sources/1')).toEqual(await store.seal('upload', 'sources/1'));
    });

    it('lists and deletes by prefix, and nothing beside it', async () => {
      for (const key of ['jobs/1/a', 'jobs/1/b/c', 'jobs/10/a', 'other']) await store.put(key, Buffer.from(key));
      expect(await keys('jobs/1/')).toEqual(['jobs/1/a', 'jobs/1/b/c']);
      expect(await keys('jobs/1')).toEqual(['jobs/1/a', 'jobs/1/b/c', 'jobs/10/a']);
      await store.deletePrefix('jobs/1/');
      expect(await keys('')).toEqual(['jobs/10/a', 'other']);
      await store.deletePrefix('nothing/here/');
      expect(await keys('nothing/here/')).toEqual([]);
    });

    it('lists what stays while others are deleted', async () => {
      const others = Array.from({ length: 60 }, (_, index) => `jobs/${index}/folder/file`);
      await Promise.all(['stays/1', ...others].map((key) => store.put(key, Buffer.from(key))));
      let deleted = false;
      const deletion = Promise.all(others.map((key) => store.delete(key))).then(() => (deleted = true));
      while (!deleted) expect(await keys('')).toContain('stays/1');
      await deletion;
      expect(await keys('')).toEqual(['stays/1']);
    });

    it.each(['', '/', 'a//b', '/etc/passwd', '../up', 'a/../../up', 'a/./b', 'a\\b', 'a\0b', 'ä', '.hidden', 'a b'])(
      'refuses the key %j',
      async (key) => {
        await expect(store.put(key, Buffer.from('x'))).rejects.toThrow(TypeError);
        await expect(store.get(key)).rejects.toThrow(TypeError);
        await expect(store.presignPut(key, { expiresInSeconds: 1, maxBytes: 1 })).rejects.toThrow(TypeError);
      },
    );

    it('writes to one key at once leave one of them whole', async () => {
      const contents = Array.from({ length: 8 }, (_, index) => String(index).repeat(50_000));
      await Promise.all(contents.map((content) => store.put('key', chunks([content.slice(0, 9), content.slice(9)]))));
      expect(contents).toContain(String(await read('key')));
    });

    it('a list names the version of an object, which changes with its content', async () => {
      const listed = async () =>
        (await Array.fromAsync(store.list('a/'))).map(({ key, version }) => ({ key, version }));
      await store.put('a/b', Buffer.from('one'));
      const first = await listed();
      expect(await listed()).toEqual(first);
      await store.put('a/b', Buffer.from('two'));
      const [changed] = await listed();
      expect(changed!.key).toBe('a/b');
      expect(changed!.version).not.toBe(first[0]!.version);
    });

    const read = async (key: string, range?: { start: number; end?: number }) =>
      Buffer.concat(await Array.fromAsync(await store.get(key, range)));
    const keys = async (prefix: string) => (await Array.fromAsync(store.list(prefix))).map(({ key }) => key).sort();
  });
}

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

async function* chunks(texts: readonly string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function* breaking(texts: readonly string[]): AsyncIterable<Uint8Array> {
  yield* chunks(texts);
  throw new Error('source broke');
}
