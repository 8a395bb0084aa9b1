import { SqliteReadStore } from '#ports/read-store/sqlite/sqlite-read-store.js';
import { useProjectionHost } from './host.fixture.js';
import { hostSuite } from './host.suite.js';
import { parkingSuite } from './parking.suite.js';
import { rebuildSuite } from './rebuild.suite.js';

describe('projections on SQLite', () => {
  useProjectionHost(async (directory) => ({ store: new SqliteReadStore({ directory }), clear: async () => {} }));
  hostSuite();
  rebuildSuite();
  parkingSuite();
});
