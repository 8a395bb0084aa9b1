import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { objectStoreContract } from '../contract.js';
import {
  AddressRefusedError,
  ObjectNotFoundError,
  ObjectSealedError,
  ObjectTooLargeError,
  type SignedAddress,
  type ByteRange,
} from '../port.js';
import { FolderObjectStore } from './index.js';

const signingKeys = [Buffer.alloc(32, 7)];
const publicUrl = 'https://anneal.example.org';

objectStoreContract('folder', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'objects-'));
  const store = new FolderObjectStore({ directory, signingKeys, publicUrl });
  return { store, remove: () => rm(directory, { recursive: true, maxRetries: 5 }) };
});

describe('folder object store', () => {
  let directory: string;
  let store: FolderObjectStore;
  let now: number;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'objects-'));
    now = Date.parse('2030-01-01T00:00:00Z');
    store = new FolderObjectStore({ directory, signingKeys, publicUrl: `${publicUrl}/`, clock: () => now });
  });
  afterEach(() => rm(directory, { recursive: true, maxRetries: 5 }));

  const presigned = async () => parse(await store.presignPut('uploads/1', { expiresInSeconds: 60, maxBytes: 10 }));
  const put = (address: SignedAddress, text: string) => store.acceptPut(address, content(text));
  const incoming = () => readdir(join(directory, 'incoming'));

  it('signs absolute addresses under the public URL', async () => {
    const address = await store.presignPut('uploads/1', { expiresInSeconds: 60, maxBytes: 10 });
    expect(address).toMatch(
      /^https:\/\/anneal\.example\.org\/objects\/uploads\/1\?expires=1893456060&max=10&signature=[\w-]{43}$/,
    );
  });

  it('accepts a PUT, and a second one that replaces it', async () => {
    await put(await presigned(), 'first');
    expect((await put(await presigned(), 'second')).size).toBe(6);
  });

  it('serves a GET with its file name', async () => {
    await store.put('a', Buffer.from('weights'));
    const address = parse(await store.presignGet('a', { expiresInSeconds: 60, fileName: 'my model (1).zip' }));
    const { read, ...rest } = await store.openGet(address);
    expect(rest).toEqual({ ...(await store.stat('a')), fileName: 'my model (1).zip' });
    const text = async (range?: ByteRange) => Buffer.concat(await Array.fromAsync(await read(range))).toString();
    expect(await text()).toBe('weights');
    expect(await text({ start: 2, end: 4 })).toBe('ig');
  });

  it('refuses an address after its expiry', async () => {
    const address = await presigned();
    now += 60_000;
    await put(address, 'in time');
    now += 1;
    await expect(put(address, 'late')).rejects.toThrow(AddressRefusedError);
  });

  it('refuses an altered address', async () => {
    const { key, query } = await presigned();
    const forged: SignedAddress[] = [
      { key: 'uploads/2', query },
      { key: 'uploads/1/../2', query },
      { key, query: { ...query, max: '99999' } },
      { key, query: { ...query, expires: '9999999999' } },
      { key, query: { ...query, signature: undefined } },
      { key, query: { ...query, signature: 'AAAA' } },
      { key, query: {} },
    ];
    for (const address of forged) await expect(put(address, 'x')).rejects.toThrow(AddressRefusedError);
    expect(await store.stat('uploads/2')).toBeNull();
  });

  it('refuses the address of a PUT for a GET', async () => {
    await store.put('uploads/1', Buffer.from('x'));
    await expect(store.openGet(await presigned())).rejects.toThrow(AddressRefusedError);
  });

  it('refuses more bytes than the address allows, and leaves nothing behind', async () => {
    await expect(put(await presigned(), '12345678901')).rejects.toThrow(ObjectTooLargeError);
    expect(await store.stat('uploads/1')).toBeNull();
    expect(await incoming()).toEqual([]);
  });

  it('leaves nothing behind of an aborted upload', async () => {
    async function* breaking() {
      yield Buffer.from('half');
      throw new Error('aborted');
    }
    await expect(store.acceptPut(await presigned(), breaking())).rejects.toThrow('aborted');
    expect(await incoming()).toEqual([]);
  });

  it('accepts no PUT once the object has been sealed, even after a restart', async () => {
    const address = await presigned();
    await put(address, 'first');
    await store.seal('uploads/1', 'sources/1');
    await expect(put(address, 'second')).rejects.toThrow(ObjectSealedError);
    await store.delete('uploads/1');
    const reopened = new FolderObjectStore({ directory, signingKeys, publicUrl, clock: () => now });
    await expect(reopened.acceptPut(address, content('third'))).rejects.toThrow(ObjectSealedError);
    expect(await incoming()).toEqual([]);
  });

  it('refuses a PUT in progress when the object is sealed', async () => {
    const address = await presigned();
    await put(address, 'first');
    async function* sealedMeanwhile() {
      yield Buffer.from('sec');
      await store.seal('uploads/1', 'sources/1');
      yield Buffer.from('ond');
    }
    await expect(store.acceptPut(address, sealedMeanwhile())).rejects.toThrow(ObjectSealedError);
    expect(Buffer.concat(await Array.fromAsync(await store.get('sources/1'))).toString()).toBe('first');
  });

  it('seals with the hash of the stored bytes, even if a file was tampered with', async () => {
    await put(await presigned(), 'first');
    const first = await store.seal('uploads/1', 'sources/1');
    expect(first.sha256).toBe(createHash('sha256').update('first').digest('hex'));
    await writeFile(join(directory, 'objects', 'uploads', '1'), 'other');
    const second = await store.seal('uploads/1', 'sources/2');
    expect(second.sha256).toBe(createHash('sha256').update('other').digest('hex'));
  });

  it('removes at start the partial files of a killed process, but not of a live one', async () => {
    await store.close();
    await writeFile(join(directory, 'incoming', 'old'), 'x');
    await utimes(join(directory, 'incoming', 'old'), 0, 0);
    await writeFile(join(directory, 'incoming', 'young'), 'x');
    await new FolderObjectStore({ directory, signingKeys, publicUrl }).close();
    expect(await incoming()).toEqual(['young']);
  });

  const onLinux = process.platform === 'linux' ? it : it.skip;
  onLinux('opens no file of content that nobody reads, and closes it when a reader leaves', async () => {
    await store.put('jobs/1', Buffer.alloc(1024 * 1024));
    const openFiles = async () => {
      const paths = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''));
      return (await Promise.all(paths)).filter((path) => path.startsWith(directory));
    };
    const [, read] = [await store.get('jobs/1'), await store.get('jobs/1')];
    expect(await openFiles()).toEqual([]);
    for await (const _ of read) {
      expect(await openFiles()).toEqual([join(directory, 'objects', 'jobs', '1')]);
      break;
    }
    expect(await openFiles()).toEqual([]);
  });

  it('reports not found if content is deleted before it is read', async () => {
    await store.put('jobs/1', Buffer.from('x'));
    const content = await store.get('jobs/1');
    await store.delete('jobs/1');
    await expect(Array.fromAsync(content)).rejects.toThrow(ObjectNotFoundError);
  });

  it('refuses each use of a folder or file that is a link elsewhere, and changes nothing there', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'elsewhere-'));
    try {
      await writeFile(join(elsewhere, 'weights'), 'precious');
      await store.put('kept', Buffer.from('kept'));
      await symlink(elsewhere, join(directory, 'objects', 'jobs'));
      await mkdir(join(directory, 'objects', 'rows'));
      await symlink(join(elsewhere, 'weights'), join(directory, 'objects', 'rows', 'file'));
      for (const use of [
        () => store.get('jobs/weights'),
        () => store.get('rows/file'),
        () => store.put('jobs/weights', Buffer.from('changed')),
        () => store.put('jobs/new', Buffer.from('new')),
        () => store.seal('jobs/weights', 'sealed'),
        () => store.seal('kept', 'jobs/copy'),
        () => store.delete('jobs/weights'),
        () => store.deletePrefix('jobs/'),
        () => Array.fromAsync(store.list('jobs/')),
      ])
        await expect(use()).rejects.toThrow(/symbolic link that leads out of the object store/);
      expect((await Array.fromAsync(store.list(''))).map(({ key }) => key)).toEqual(['kept']);
      expect(await readdir(elsewhere)).toEqual(['weights']);
      expect(await readFile(join(elsewhere, 'weights'), 'utf8')).toBe('precious');
    } finally {
      await rm(elsewhere, { recursive: true });
    }
  });

  it('removes folders emptied by a deletion', async () => {
    await store.put('jobs/1/2/a', Buffer.from('x'));
    await store.put('jobs/3', Buffer.from('x'));
    await store.delete('jobs/1/2/a');
    expect(await readdir(join(directory, 'objects', 'jobs'))).toEqual(['3']);
  });
});

function parse(address: string): SignedAddress {
  const url = new URL(address);
  return { key: url.pathname.replace('/objects/', ''), query: Object.fromEntries(url.searchParams) };
}

async function* content(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}
