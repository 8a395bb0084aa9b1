import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LEAVES } from '#primitives/secrets/key-tree.js';
import { reportedBackground } from '#primitives/background/reported.fixture.js';
import { ContentKeys } from './content-keys.js';

describe('keys of contents', () => {
  it('log that new ones cannot be stored in advance, and the present ones go on', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'anneal-keys-'));
    const { lines, background } = reportedBackground();
    const location = { store: { adapter: 'sqlite', directory }, wrappingKeys: [randomBytes(32)] } as const;
    const keys = new ContentKeys(location, background);
    try {
      await keys.ready();
      const store = await keys.open();
      store.create = () => Promise.reject(new Error('the disk is full'));
      for (let key = 0; key <= LEAVES - LEAVES / 4; key += 1) expect(keys.next()).not.toBeInstanceOf(Promise);
      await new Promise(setImmediate);
      expect(lines).toEqual(['store-content-keys: the disk is full']);
      expect(await keys.next()).toMatchObject({ key: expect.any(Uint8Array) });
    } finally {
      await keys.close();
      await rm(directory, { recursive: true });
    }
  });
});
