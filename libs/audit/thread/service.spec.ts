import { join } from 'node:path';
import { formatVerifier } from '../checkpoint.js';
import { AuditedLog, signer } from '../log.fixture.js';
import { eventually } from '#test/support/eventually.js';
import { createService, type AuditOptions } from './service.js';
import type { AuditStatus, Outcome } from './status.js';

describe('the audit of a log that another process changes while it runs', () => {
  let log: AuditedLog;
  beforeEach(async () => (log = await AuditedLog.open()));
  afterEach(() => log.close());

  /** The service, which compares every few milliseconds. */
  const startAudit = async () => {
    const options: AuditOptions = {
      eventLog: { adapter: 'sqlite', directory: log.directory },
      objectStore: { kind: 'folder', directory: join(log.directory, 'objects') },
      ...{
        origin: signer.name,
        seed: Buffer.alloc(32, 1),
        verifiers: [formatVerifier(signer)],
        saltKey: '00'.repeat(32),
      },
      ...{
        tree: 1,
        isBegun: false,
        witnesses: [],
        anchors: { place: null, timestamps: null },
        trustedOrigins: [],
        checkEveryMs: 10,
      },
    };
    const outcomes: Outcome[] = [];
    const service = await createService(options, { emit: (_, outcome) => outcomes.push(outcome as Outcome) });
    const call = async (method: string) => ('handle' in service ? service.handle(method, [null, null]) : null);
    const status = () => call('status') as Promise<AuditStatus>;
    return { call, status, outcomes, close: async () => service.close?.() };
  };

  it.each([
    [
      'changed',
      `UPDATE events SET metadata = replace(metadata, 'user:ada', 'user:eve'), checksum = NULL WHERE position = 9`,
    ],
    ['removed', 'DELETE FROM events WHERE position = 9'],
  ])('finds the event that was %s at the next comparison, without a new start', async (problem, sql) => {
    await log.appendMany('things-1', 20);
    const { call, status, close } = await startAudit();
    try {
      await call('publish');
      await eventually(async () => (await status()).checkedAt !== null);
      expect(await status()).toMatchObject({ size: 21, problems: 0 });
      log.tamper(sql);
      await eventually(async () => (await status()).problems > 0);
      expect((await status()).first).toMatchObject({
        problem: expect.stringMatching(problem === 'removed' ? /gap|removed/ : /changed/),
      });
    } finally {
      await close();
    }
  });

  it('reports a comparison that fails, until one succeeds', async () => {
    await log.appendMany('things-1', 20);
    const { call, status, close, outcomes } = await startAudit();
    try {
      await call('publish');
      await eventually(async () => (await status()).checkedAt !== null);
      log.tamper('CREATE VIEW seen AS SELECT * FROM events');
      await eventually(() => outcomes.some(({ name, error }) => name === 'check-audit-tree' && error !== null));
      await call('publish');
      expect(outcomes).toContainEqual({ name: 'extend-audit-tree', error: null });
      expect(await status()).toMatchObject({ error: 'LogUnusableError', problems: 0 });
      log.tamper('DROP VIEW seen');
      await eventually(async () => (await status()).error === null);
    } finally {
      await close();
    }
  });
});
