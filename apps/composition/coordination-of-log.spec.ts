import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  bootstrap,
  changePassword,
  checkPassword,
  createSignInToken,
  openSession,
  readSession,
  redeemSignInToken,
} from '#application/accounts/index.js';
import { creditsOf, enterInLedger } from '#application/billing/index.js';
import { systemContext } from '#log/context.js';
import { hashPassword } from '#primitives/secrets/index.js';
import { Settings } from '#settings/index.js';
import { compose, type System } from './compose.js';
import { startProblem } from './run-process.js';

describe('coordination that somebody else has written to', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'anneal-coordination-'));
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  const used = async <T>(use: (system: System) => Promise<T>, options: Parameters<typeof compose>[1] = {}) => {
    const system = await compose(new Settings({ dataDir, durability: 'normal', logLevel: 'silent' }), options);
    try {
      return await use(system);
    } finally {
      await system.close();
    }
  };
  const admin = ({ application, secret, settings }: System) => bootstrap(application, secret, settings);
  const changed = (sql: string, ...values: readonly string[]) => {
    const file = new DatabaseSync(join(dataDir, 'coordination.db'));
    const { changes } = file.prepare(sql).run(...values);
    file.close();
    expect(changes).toBeGreaterThan(0);
  };
  const healthOf = async ({ healthSources }: System) =>
    healthSources.find(({ name }) => name === 'coordination')!.check();

  it('signs nobody in by a link or session of another user, and says so in its health', async () => {
    const [eve, userId] = ['00000000-0000-4000-8000-00000000000e', '00000000-0000-4000-8000-00000000000a'];
    const ofEve = { userId: eve, teamId: eve, workspaceId: eve };
    const made = await used(async ({ application: { ports }, secret }) => ({
      link: await createSignInToken(ports.coordination, secret, eve),
      good: await createSignInToken(ports.coordination, secret, userId),
      session: (await openSession(ports.coordination, secret, ofEve, 0)).token,
    }));
    changed(`UPDATE entries SET value = replace(value, ?, ?) WHERE value LIKE '%' || ?`, eve, userId, '%');
    await used(async (system) => {
      const { coordination } = system.application.ports;
      expect(await healthOf(system)).toMatchObject({ status: 'up' });
      expect(await redeemSignInToken(coordination, system.secret, made.link)).toBeNull();
      expect(await readSession(coordination, system.secret, made.session)).toBeNull();
      expect(await redeemSignInToken(coordination, system.secret, made.good)).toMatchObject({ userId });
      expect(await healthOf(system)).toMatchObject({
        status: 'damaged',
        details: { forged: 'sign-in-link, session' },
      });
    });
  });

  it('takes no planted password, and lets its user set another', async () => {
    const attempt = { password: 'planted by somebody', network: '203.0.113.9' };
    const userId = await used(async (system) => {
      const { user } = await admin(system);
      await changePassword(system.application, user.userId, 'correct horse', systemContext('test', null));
      return user.userId;
    });
    changed(
      `UPDATE entries SET value = json_set(value, '$.verifier', ?) WHERE key LIKE 'password:%'`,
      await hashPassword(attempt.password),
    );
    await used(async ({ application, secret }) => {
      const { coordination } = application.ports;
      expect(await checkPassword(coordination, secret, { userId, ...attempt })).toEqual({ kind: 'wrong' });
      await changePassword(application, userId, 'another horse', systemContext('test', null));
      const again = { userId, password: 'another horse', network: attempt.network };
      expect(await checkPassword(coordination, secret, again)).toMatchObject({ kind: 'right' });
    });
  });

  it('counts no credits that were planted, but those of the log, and knows no planted network', async () => {
    const context = systemContext('test', null);
    const { teamId, userId } = await used(async (system) => {
      const { application, secret } = system;
      const { user } = await admin(system);
      await changePassword(application, user.userId, 'correct horse', context);
      const attempt = { userId: user.userId, password: 'correct horse', network: '203.0.113.9' };
      expect(await checkPassword(application.ports.coordination, secret, attempt)).toMatchObject({ kind: 'right' });
      await enterInLedger(application, { type: 'top-up', teamId: user.teamId, amount: 5n }, context);
      return user;
    });
    changed(
      `UPDATE entries SET value = json_set(value, '$.paidIn', '5000') WHERE key = ?`,
      `held-credits:team:${teamId}`,
    );
    changed(
      `UPDATE entries SET value = json_set(value, '$.networks', json('["planted"]')) WHERE key = ?`,
      `seen-networks:${userId}`,
    );
    await used(async (system) => {
      const credits = creditsOf(system.application);
      expect(await credits.read(teamId)).toBeNull();
      await credits.refresh(teamId);
      expect(await credits.read(teamId)).toMatchObject({ paidIn: 5n });
      expect(await system.application.ports.coordination.get(`seen-networks:${userId}`)).toBeNull();
      expect(await healthOf(system)).toMatchObject({ details: { forged: 'held-credits, seen-networks' } });
    });
  });

  it('is missed when it is gone, until the operator goes on without it', async () => {
    await used(admin);
    for (const file of ['coordination.db', 'coordination.db-wal', 'coordination.db-shm'])
      await rm(join(dataDir, file), { force: true });
    const refusal = await used(admin).catch((error: unknown) => startProblem(error));
    expect(refusal).toMatch(/^coordination \(coordination\.db, .* is missing.*npx anneal coordination replace/);
    await used(admin, { replaceCoordination: true });
    const bound = await used(({ application }) =>
      Array.fromAsync(application.storedEvents.readStream('log-coordination')),
    );
    expect(bound).toMatchObject([
      { data: { replaced: null } },
      { type: 'log-coordination-bound.v1', data: { replaced: bound[0]!.data['coordination'] } },
    ]);
  });

  it('gets its codes at the first start of this release', async () => {
    const { signInPath, userId } = await used(async (system) => {
      const { signInPath, user } = await admin(system);
      await changePassword(system.application, user.userId, 'correct horse', systemContext('test', null));
      return { signInPath, userId: user.userId };
    });
    expect(signInPath).not.toBeNull();
    changed(`UPDATE entries SET value = json_remove(value, '$.mac') WHERE json_type(value) = 'object'`);
    const check = { userId, password: 'correct horse', network: '203.0.113.9' };
    // An earlier release bound no coordination.
    const log = new DatabaseSync(join(dataDir, 'log.db'));
    log.exec(`DELETE FROM events WHERE kind = (SELECT id FROM kinds WHERE type = 'log-coordination-bound.v1');
      DELETE FROM streams WHERE name = 'log-coordination'`);
    log.close();
    const acceptEnd = { by: 'ada', reason: 'it is a test' };
    await used(
      async ({ application, secret }) =>
        expect(await checkPassword(application.ports.coordination, secret, check)).toMatchObject({ kind: 'right' }),
      { acceptEnd },
    );
  });
});
