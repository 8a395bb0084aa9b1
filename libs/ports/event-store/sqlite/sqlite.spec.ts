import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventStoreContract } from '../contract.js';
import { openSqliteEventStore } from './index.js';

eventStoreContract('sqlite', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'anneal-log-'));
  const store = await openSqliteEventStore({ directory });
  return {
    store,
    cleanup: async () => {
      await store.close();
      await rm(directory, { recursive: true });
    },
  };
});
