import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import type { StoredFolder } from '#domain/training-job/index.js';
import { ObjectNotFoundError } from '#ports/object-store/port.js';
import { archiveOf } from './archive.js';

const contents = new Map([
  ['jobs/j1/1/artifact/weights.bin', Buffer.alloc(700_000, 'abc')],
  ['jobs/j1/1/artifact/README.md', Buffer.from('# A model\n')],
  ['jobs/j1/1/artifact/empty.txt', Buffer.alloc(0)],
]);
const store = {
  async get(key: string) {
    const content = contents.get(key);
    if (!content) throw new ObjectNotFoundError(key);
    return Readable.from([content.subarray(0, 5), content.subarray(5)].filter(({ byteLength }) => byteLength > 0));
  },
};
const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');
const folder: StoredFolder = {
  objectPrefix: 'jobs/j1/1/artifact',
  files: [...contents].map(([key, content]) => ({
    name: key.split('/').at(-1)!,
    size: content.byteLength,
    sha256: sha256(content),
  })),
};
const whole = async (of: StoredFolder) =>
  Buffer.concat(await Array.fromAsync(archiveOf(store, of, 'a-model', 'signed')));

describe('an archive of weights', () => {
  it('contains every file unchanged and the signature, in one directory', async () => {
    const unpacked = new Map<string, Buffer>();
    const tar = extract();
    const reading = (async () => {
      for await (const entry of tar)
        unpacked.set(entry.header.name, Buffer.concat(await Array.fromAsync(entry as AsyncIterable<Uint8Array>)));
    })();
    await pipeline(Readable.from([await whole(folder)]), createGunzip(), tar);
    await reading;
    expect([...unpacked.keys()]).toEqual([
      ...['a-model/README.md', 'a-model/empty.txt', 'a-model/weights.bin', 'a-model/model.sig'],
    ]);
    expect(unpacked.get('a-model/model.sig')!.toString()).toBe('signed');
    unpacked.delete('a-model/model.sig');
    for (const [name, content] of unpacked)
      expect(content.equals(contents.get(`jobs/j1/1/artifact/${name.slice('a-model/'.length)}`)!)).toBe(true);
  });

  it('has the same bytes for the same files in any order', async () => {
    const turned = { ...folder, files: folder.files.toReversed() };
    expect(sha256(await whole(turned))).toBe(sha256(await whole(folder)));
  });

  it('fails on a file that differs from the recorded one, and on a missing one', async () => {
    const [first, ...rest] = folder.files;
    const other = { ...folder, files: [{ ...first!, sha256: '0'.repeat(64) }, ...rest] };
    await expect(whole(other)).rejects.toThrow('weights.bin differs from the recorded file');
    const gone = { ...folder, files: [...folder.files, { ...first!, name: 'z.bin' }] };
    await expect(whole(gone)).rejects.toThrow('z.bin no longer exists');
  });
});
