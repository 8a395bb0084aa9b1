import { ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { createHash, randomUUID } from 'node:crypto';
import { Toxiproxy, type Proxy } from 'toxiproxy-node-client';
import { describeWithServer } from '#test/servers/describe.js';
import { freePort } from '#primitives/free-port.js';
import { objectStoreContract } from '../contract.js';
import { below, KeysInMemory } from '../encrypted/encrypted.fixture.js';
import { encryptedObjects } from '../encrypted/index.js';
import { ObjectStoreUnavailableError, ObjectTooLargeError, type ObjectStore } from '../port.js';
import { openS3ObjectStore, parseS3Address, type S3ObjectStoreOptions } from './index.js';

const MIB = 1024 * 1024;

describeWithServer('s3', ({ name, address }) => {
  const opened = new Map<ObjectStore, string>();
  const addressOf = (store: ObjectStore) => opened.get(store)!;
  const openAt = async (own: string, options: S3ObjectStoreOptions = {}) => {
    const store = await openS3ObjectStore(own, options);
    opened.set(store, own);
    return store;
  };
  const openOwn = (more: Readonly<Record<string, string>> = {}, options: S3ObjectStoreOptions = {}) =>
    openAt(ownPrefix(address, more), options);
  afterEach(async () => {
    for (const store of opened.keys()) {
      await store.deletePrefix('').catch(() => undefined);
      await store.close();
    }
    opened.clear();
  });

  objectStoreContract(name, async () => {
    // Deleting everything below the prefix needs a store that the suite has not closed.
    const own = ownPrefix(address);
    const cleaner = await openS3ObjectStore(own);
    const remove = () => cleaner.deletePrefix('').finally(() => cleaner.close());
    return { store: await openS3ObjectStore(own), remove };
  });

  objectStoreContract(`${name}, encrypted`, async () => {
    const own = ownPrefix(address);
    const cleaner = await openS3ObjectStore(own);
    const remove = () => cleaner.deletePrefix('').finally(() => cleaner.close());
    const store = below('datasets/w/v/', encryptedObjects(await openS3ObjectStore(own), new KeysInMemory()));
    return { store, remove };
  });

  describe('encrypted objects', () => {
    it('are made of an upload that came past this process, as it is sealed, and are read in ranges', async () => {
      const store = await openOwn();
      const encrypted = encryptedObjects(store, new KeysInMemory());
      const content = Buffer.alloc(9 * MIB, 'uploaded rows, ');
      const url = await encrypted.presignPut('uploads/w/v', { expiresInSeconds: 60, maxBytes: content.length });
      const put = await fetch(url, { method: 'PUT', body: content });
      expect([put.status, (await put.arrayBuffer()).byteLength]).toEqual([200, 0]);
      expect(await encrypted.stat('uploads/w/v')).toMatchObject({ size: content.length });
      const sealed = await encrypted.seal('uploads/w/v', 'datasets/w/v/source-1', { maxBytes: content.length });
      expect(sealed).toMatchObject({
        size: content.length,
        sha256: createHash('sha256').update(content).digest('hex'),
      });
      expect(await digestOf(await store.get('datasets/w/v/source-1'))).toEqual(sealed.stored);
      const range = { start: 5 * MIB - 7, end: 6 * MIB };
      const read = Buffer.concat(await Array.fromAsync(await encrypted.get('datasets/w/v/source-1', range)));
      expect(read.equals(content.subarray(range.start, range.end))).toBe(true);
      await expect(
        encrypted.seal('uploads/w/v', 'datasets/w/v/source-2', { maxBytes: content.length - 1 }),
      ).rejects.toThrow(ObjectTooLargeError);
    });
  });

  describe('many downloads at once', () => {
    const MANY = 120;
    const several = async (store: ObjectStore): Promise<readonly string[]> => {
      const keys = Array.from({ length: MANY }, (_, index) => `file-${index}`);
      const put = (key: string) => store.put(key, Buffer.alloc(MIB, key));
      for (let at = 0; at < MANY; at += 8) await Promise.all(keys.slice(at, at + 8).map(put));
      return keys;
    };

    it('may all be open before the first of them is read', async () => {
      const store = await openOwn();
      const keys = await several(store);
      const contents = await Promise.all(keys.map((key) => store.get(key)));
      for (const [index, content] of contents.entries())
        expect(await digestOf(content)).toMatchObject({
          sha256: createHash('sha256').update(Buffer.alloc(MIB, keys[index])).digest('hex'),
        });
    });

    it('delay no other request while nobody reads them', async () => {
      const store = await openOwn();
      const keys = await several(store);
      await Promise.all(keys.map((key) => store.get(key)));
      await store.put('other', Buffer.from('other'));
      expect(await store.stat('other')).toMatchObject({ size: 5 });
      await store.deletePrefix('');
      expect(await store.stat('other')).toBeNull();
    });
  });

  describe('large content', () => {
    it('is uploaded in parts, and returned unchanged', async () => {
      const store = await openOwn();
      const sent = createHash('sha256');
      const stored = await store.put('large', random(20 * MIB, sent));
      expect(stored).toEqual({ key: 'large', size: 20 * MIB, sha256: sent.digest('hex') });
      expect(await digestOf(await store.get('large'))).toEqual({ size: stored.size, sha256: stored.sha256 });
      const tail = { start: 20 * MIB - 5 };
      expect(Buffer.concat(await Array.fromAsync(await store.get('large', tail))).byteLength).toBe(5);
    });

    it('is accepted in one piece too', async () => {
      const store = await openOwn();
      const content = Buffer.alloc(9 * MIB, 'anneal');
      expect((await store.put('large', content)).sha256).toBe(createHash('sha256').update(content).digest('hex'));
      expect((await digestOf(await store.get('large'))).size).toBe(content.byteLength);
    });

    it('that breaks off, or exceeds its limit, leaves nothing behind', async () => {
      const store = await openOwn();
      await expect(store.put('large', breakingAfter(17 * MIB))).rejects.toThrow('source broke');
      await expect(store.put('large', random(20 * MIB), { maxBytes: 19 * MIB })).rejects.toThrow(ObjectTooLargeError);
      expect(await store.stat('large')).toBeNull();
      expect(await Array.fromAsync(store.list(''))).toEqual([]);
      expect(await unfinishedUploads(addressOf(store))).toEqual([]);
    });

    it('is sealed in several copies if one request cannot copy it', async () => {
      const store = await openOwn({}, { copyAtOnceBytes: 6 * MIB });
      const { size, sha256 } = await store.put('upload', random(14 * MIB));
      expect(await store.seal('upload', 'sources/1')).toEqual({ key: 'sources/1', size, sha256 });
      expect(await digestOf(await store.get('sources/1'))).toEqual({ size, sha256 });
    });
  });

  it('keys over more than one page are listed and deleted in order', async () => {
    const store = await openOwn();
    const keys = Array.from({ length: 1_050 }, (_, n) => `many/${String(n).padStart(5, '0')}`);
    for (let n = 0; n < keys.length; n += 50)
      await Promise.all(keys.slice(n, n + 50).map((key) => store.put(key, Buffer.from('x'))));
    expect((await Array.fromAsync(store.list('many/'))).map(({ key }) => key)).toEqual(keys);
    await store.put('other', Buffer.from('x'));
    await store.deletePrefix('many/');
    expect((await Array.fromAsync(store.list(''))).map(({ key }) => key)).toEqual(['other']);
  });

  it('stores under different prefixes of a bucket are separate', async () => {
    const [one, other] = [await openOwn(), await openOwn()];
    await one.put('key', Buffer.from('x'));
    expect(await other.stat('key')).toBeNull();
    await other.deletePrefix('');
    expect(await one.stat('key')).toMatchObject({ size: 1 });
  });

  it('an object larger than allowed is not sealed, and no copy is made', async () => {
    const store = await openOwn();
    await store.put('upload', Buffer.from('12345'));
    await expect(store.seal('upload', 'sources/1', { maxBytes: 4 })).rejects.toThrow(ObjectTooLargeError);
    expect(await store.stat('sources/1')).toBeNull();
    expect((await store.seal('upload', 'sources/1', { maxBytes: 5 })).size).toBe(5);
  });

  it('sealing hashes the copied bytes, however often the upload is replaced in between', async () => {
    const store = await openOwn();
    const contents = Array.from({ length: 12 }, (_, n) => Buffer.alloc(200_000 + n, String(n)));
    await store.put('upload', contents[0]!);
    const replacing = (async () => {
      for (const content of contents) await store.put('upload', content);
    })();
    for (let n = 0; n < 4; n += 1) {
      // A refusal because the upload was replaced at every attempt is correct.
      const sealed = await store.seal('upload', `sources/${n}`).catch((error: unknown) => {
        expect(error).toBeInstanceOf(ObjectStoreUnavailableError);
        return null;
      });
      if (sealed)
        expect(await digestOf(await store.get(sealed.key))).toEqual({ size: sealed.size, sha256: sealed.sha256 });
    }
    await replacing;
  });

  describe('presigned addresses', () => {
    const presigned = (store: ObjectStore, expiresInSeconds = 60) =>
      store.presignPut('uploads/1', { expiresInSeconds, maxBytes: 10 });
    const put = (url: string, body: string, method = 'PUT') =>
      fetch(url, { method, ...(method === 'PUT' && { body }) }).then(async (response) => {
        await response.arrayBuffer();
        return response.status;
      });

    it('accept a PUT without credentials, and a second one that replaces it', async () => {
      const store = await openOwn();
      const url = await presigned(store);
      expect(await put(url, 'first')).toBe(200);
      expect(await put(url, 'second')).toBe(200);
      expect(await store.stat('uploads/1')).toMatchObject({ size: 6 });
    });

    it('change nothing in a sealed object with a later PUT', async () => {
      const store = await openOwn();
      const url = await presigned(store);
      await put(url, 'first');
      await store.seal('uploads/1', 'sources/1');
      expect(await put(url, 'second')).toBe(200);
      expect(Buffer.concat(await Array.fromAsync(await store.get('sources/1'))).toString()).toBe('first');
    });

    it('accept nothing once they have expired', async () => {
      const store = await openOwn();
      const url = await presigned(store, 1);
      let status = 200;
      // Expiry follows the server's clock, in whole seconds.
      while (status === 200) status = await put(url, 'x');
      expect(status).toBe(403);
    });

    it('serve no other method, and no other object', async () => {
      const store = await openOwn();
      await store.put('uploads/1', Buffer.from('x'));
      const url = await presigned(store);
      expect(await put(url, '', 'GET')).toBe(403);
      expect(await put(url, '', 'DELETE')).toBe(403);
      expect(await put(url.replace('uploads/1', 'uploads/2'), 'x')).toBe(403);
      expect(await put(url.replace('X-Amz-Expires=60', 'X-Amz-Expires=6000'), 'x')).toBe(403);
      const forged = url.replace(/(X-Amz-Signature=)(.)/, (_, name, digit) => name + (digit === '0' ? '1' : '0'));
      expect(await put(forged, 'x')).toBe(403);
      expect(await put(url.split('?')[0]!, 'x')).toBeGreaterThanOrEqual(400);
      expect(await store.stat('uploads/2')).toBeNull();
    });

    it('serve an object under its file name', async () => {
      const store = await openOwn();
      await store.put('model', Buffer.from('weights'));
      const response = await fetch(await store.presignGet('model', { expiresInSeconds: 60, fileName: 'Zoë (1).zip' }));
      expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="Zo_ _1_.zip"/);
      expect(await response.text()).toBe('weights');
    });

    it('name the public endpoint if there is one', async () => {
      const store = await openOwn({ publicEndpoint: 'https://files.example.org' });
      expect(await presigned(store)).toMatch(/^https:\/\/files\.example\.org\/.*X-Amz-Signature=/);
      expect((await store.put('key', Buffer.from('x'))).size).toBe(1);
    });
  });

  describeWithServer('toxiproxy', ({ address: control }) => {
    let proxy: Proxy;
    let through: ObjectStore;
    let direct: ObjectStore;
    beforeEach(async () => {
      const own = ownPrefix(address);
      const { host } = new URL(parseS3Address(own).endpoint!);
      const name = `objects-${randomUUID()}`;
      proxy = await new Toxiproxy(control).createProxy({
        name,
        listen: `127.0.0.1:${await freePort()}`,
        upstream: host,
      });
      direct = await openAt(own);
      through = await openAt(own.replace(encodeURIComponent(host), encodeURIComponent(proxy.listen)));
      expect(addressOf(through)).not.toBe(own);
    });
    afterEach(() => proxy.remove());
    const cutAfter = (bytes: number, stream: 'upstream' | 'downstream') =>
      proxy.addToxic({ name: 'cut', type: 'limit_data', stream, toxicity: 1, attributes: { bytes } });

    it('a download resumes each time its connection is cut', async () => {
      const { size, sha256 } = await direct.put('large', random(20 * MIB));
      await cutAfter(3 * MIB, 'downstream');
      expect(await digestOf(await through.get('large'))).toEqual({ size, sha256 });
    });

    it('a download of an object that is replaced ends in an error, never in a mixture', async () => {
      await direct.put('large', random(9 * MIB));
      await cutAfter(3 * MIB, 'downstream');
      const content = await through.get('large');
      await direct.put('large', random(8 * MIB));
      await expect(digestOf(content)).rejects.toThrow(ObjectStoreUnavailableError);
    });

    it('an upload whose connections are cut is unavailable and leaves nothing; a later one succeeds', async () => {
      const cut = await cutAfter(3 * MIB, 'upstream');
      await expect(through.put('large', random(20 * MIB))).rejects.toThrow(ObjectStoreUnavailableError);
      await expect(through.put('small', Buffer.alloc(5 * MIB))).rejects.toThrow(ObjectStoreUnavailableError);
      expect(await Array.fromAsync(direct.list(''))).toEqual([]);
      expect(await unfinishedUploads(addressOf(direct))).toEqual([]);
      await cut.remove();
      expect((await through.put('large', random(20 * MIB))).size).toBe(20 * MIB);
    });

    it('an upload over a connection cut once completes', async () => {
      const cut = await cutAfter(12 * MIB, 'upstream');
      async function* healing(): AsyncIterable<Uint8Array> {
        let sent = 0;
        for await (const chunk of random(40 * MIB)) {
          sent += chunk.byteLength;
          if (sent === 32 * MIB) await cut.remove();
          yield chunk;
        }
      }
      const stored = await through.put('large', healing());
      expect(await digestOf(await direct.get('large'))).toEqual({ size: 40 * MIB, sha256: stored.sha256 });
    });
  });

  describe('a server that cannot do what is requested', () => {
    it.each([
      ['is not there', { endpoint: 'http://127.0.0.1:9' }],
      ['does not know the bucket', { bucket: 'no-such-bucket-here' }],
    ])('%s: is unavailable, never a missing object', async (_, change: { endpoint?: string; bucket?: string }) => {
      const { bucket, ...more } = change;
      const own = ownPrefix(address, more).replace(/^s3:\/\/[^/]+/, (start) => (bucket ? `s3://${bucket}` : start));
      const store = await openS3ObjectStore(own);
      const asked: readonly (() => Promise<unknown>)[] = [
        () => store.get('key'),
        () => store.put('key', Buffer.from('x')),
        () => store.put('key', random(9 * MIB)),
        () => store.seal('key', 'to'),
        () => Array.fromAsync(store.list('')),
        () => store.deletePrefix(''),
      ];
      for (const ask of asked) await expect(ask()).rejects.toThrow(ObjectStoreUnavailableError);
      await store.close();
    });
  });
});

/** The server's address, with a prefix of its own. */
function ownPrefix(address: string, more: Readonly<Record<string, string>> = {}): string {
  const [bucket = '', query = ''] = address.split('?');
  const parameters = new URLSearchParams(query);
  for (const [name, value] of Object.entries(more)) parameters.set(name, value);
  return `${bucket.replace(/\/$/, '')}/test-${randomUUID()}?${parameters.toString()}`;
}

/** Keys of uploads in parts that were neither completed nor aborted. */
async function unfinishedUploads(address: string): Promise<readonly string[]> {
  const { bucket, prefix, endpoint, region } = parseS3Address(address);
  const client = new S3Client({ endpoint: endpoint!, region: region!, forcePathStyle: true });
  try {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix }));
    return Uploads.map(({ Key = '' }) => Key);
  } finally {
    client.destroy();
  }
}

async function* random(bytes: number, hash = createHash('sha256')): AsyncIterable<Uint8Array> {
  const chunk = Buffer.from(Array.from({ length: 64 * 1024 }, (_, n) => (n * 31 + (n >> 8)) & 255));
  for (let left = bytes; left > 0; left -= chunk.byteLength) {
    const next = Buffer.from(chunk.subarray(0, left));
    next.writeUInt32LE(left, 0);
    hash.update(next);
    yield next;
  }
}

async function* breakingAfter(bytes: number): AsyncIterable<Uint8Array> {
  yield* random(bytes);
  throw new Error('source broke');
}

async function digestOf(content: AsyncIterable<Uint8Array>): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of content) {
    hash.update(chunk);
    size += chunk.byteLength;
  }
  return { size, sha256: hash.digest('hex') };
}
