import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { coordinationService, openSqliteCoordination } from '#ports/coordination/sqlite/index.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { startThread } from '#primitives/thread/thread.js';
import { MAX_A_DAY, SeenKeys } from './seen-keys.js';

describe('origins of a key', () => {
  it('fill neither the log nor coordination when a program calls itself otherwise each time', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'anneal-seen-keys-'));
    const thread = await startThread([coordinationService({ directory, durability: 'normal' })]);
    const coordination = openSqliteCoordination({ directory, thread });
    const work: Promise<void>[] = [];
    const recorded: string[] = [];
    const application = {
      ports: { coordination },
      background: { once: (_: string, each: Promise<void>) => work.push(each) },
      execute: async (_: object, id: string) => void recorded.push(id),
    } as unknown as Application;
    try {
      const seen = new SeenKeys(application, new SecretKey(Buffer.alloc(32, 3)));
      const caller = { keyId: 'k1', userId: 'u1', workspaceId: 'w1' } as unknown as Caller;
      for (let at = 0; at < 2 * MAX_A_DAY; at += 1)
        seen.saw(caller, { ip: '203.0.113.1', headers: { 'user-agent': `program-${at}` } });
      await Promise.all(work);
      expect(recorded).toHaveLength(MAX_A_DAY);
      expect(await coordination.list('key-origin:', 10 * MAX_A_DAY)).toHaveLength(MAX_A_DAY);
    } finally {
      await coordination.close();
      await thread.close();
      await rm(directory, { recursive: true });
    }
  });
});
