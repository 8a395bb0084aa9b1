import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compose, type System } from '#apps/composition/compose.js';
import { startRoles, type Roles } from '#apps/standalone/roles.js';
import type { EventStore } from '#ports/event-store/port.js';
import { newApiKey } from '#primitives/secrets/index.js';
import { Settings } from '#settings/index.js';
import { bootstrap, changePassword, checkPassword, redeemSignInToken, revokeApiKey, userIdOf } from './index.js';
import { Application } from '../application.js';
import { systemContext } from '#log/context.js';
import type { Ports } from '../ports.js';
import { apiKeyDocuments } from '#projections/api-keys/queries.js';
import { eventually } from '#test/support/eventually.js';

describe('the first start', () => {
  let dataDir: string;
  let system: System;
  let roles: Roles;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'anneal-bootstrap-'));
    const settings = new Settings({ dataDir, durability: 'normal' });
    system = await compose(settings);
    roles = await startRoles(system);
  });
  afterEach(async () => {
    await roles.close();
    await system.close();
    await rm(dataDir, { recursive: true });
  });

  const start = (values: Partial<Settings> = {}) =>
    bootstrap(system.application, system.secret, new Settings({ dataDir, ...values }));
  /** Workers write events of their own meanwhile. */
  const accountEvents = () =>
    Array.fromAsync(system.application.ports.eventStore.readAll({ filter: { categories: ['team', 'user', 'key'] } }));

  it('creates a team and a user with a workspace and a one-time link, and later starts create nothing more', async () => {
    const first = await start();
    expect(first).toMatchObject({ firstStart: true, apiKeyRegistered: false, user: { email: 'admin@localhost' } });
    const events = await accountEvents();
    const second = await start();
    expect(second).toMatchObject({ firstStart: false, user: first.user });
    expect(await accountEvents()).toEqual(events);
    const token = first.signInPath?.split('=')[1] ?? '';
    const { coordination } = system.application.ports;
    expect(await redeemSignInToken(coordination, system.secret, token)).toMatchObject({ userId: first.user.userId });
    expect(await redeemSignInToken(coordination, system.secret, token)).toEqual({ spentBy: first.user.userId });
  });

  it('makes no other user at a later start without the address', async () => {
    const { user } = await start({ adminEmail: 'ada@example.com' });
    const events = await accountEvents();
    expect(await start()).toMatchObject({ firstStart: false, user });
    expect(await accountEvents()).toEqual(events);
  });

  it('creates the user with the given address and password, without a link; another value of the setting replaces the password', async () => {
    const admin = { adminEmail: 'ada@example.com', adminPassword: 'correct horse' };
    const { user, signInPath } = await start(admin);
    expect([user.email, signInPath]).toEqual(['ada@example.com', null]);
    const check = (password: string) =>
      checkPassword(system.application.ports.coordination, system.secret, {
        userId: userIdOf('Ada@example.com'),
        password,
        network: '::1',
      });
    expect(await check('correct horse')).toEqual({ kind: 'right', generation: 1 });
    await start({ ...admin, adminPassword: 'another horse' });
    expect(await check('correct horse')).toEqual({ kind: 'wrong' });
    expect(await check('another horse')).toEqual({ kind: 'right', generation: 2 });
    await changePassword(system.application, user.userId, 'her own horse', systemContext('test', null));
    await start({ ...admin, adminPassword: 'another horse' });
    expect(await check('her own horse')).toEqual({ kind: 'right', generation: 3 });
    await start(admin);
    expect(await check('correct horse')).toEqual({ kind: 'right', generation: 4 });
  });

  it('registers the given key once; a revoked key stays revoked', async () => {
    const bootstrapApiKey = newApiKey();
    const { user } = await start({ bootstrapApiKey });
    await start({ bootstrapApiKey });
    // The list may still be built from the log.
    const keys = () =>
      eventually(
        () =>
          system.application.ports.readStore.find<{ id: string }>(apiKeyDocuments.collection, {
            where: { userId: user.userId, status: 'active' },
            limit: 10,
          }),
        () => true,
      );
    const [key, ...more] = await keys();
    expect(more).toEqual([]);
    await revokeApiKey(system.application, { keyId: key?.id ?? '', userId: user.userId }, systemContext('test', null));
    await start({ bootstrapApiKey });
    expect(await keys()).toEqual([]);
  });

  it('writes no secret into any event', async () => {
    const bootstrapApiKey = newApiKey();
    await start({ bootstrapApiKey, adminEmail: 'ada@example.com', adminPassword: 'correct horse' });
    const log = JSON.stringify(await Array.fromAsync(system.application.ports.eventStore.readAll()));
    expect(log).not.toContain(bootstrapApiKey);
    expect(log).not.toContain('correct horse');
    expect(log).not.toContain('argon2');
  });

  it('creates one team, one user and one key, even with several concurrent processes', async () => {
    const values = { bootstrapApiKey: newApiKey(), adminEmail: 'ada@example.com', adminPassword: 'correct horse' };
    const applications = meetingAtAppends(system.application.ports, 3);
    const settings = new Settings({ dataDir, ...values });
    const made = await Promise.all(applications.map((each) => bootstrap(each, system.secret, settings)));
    expect(new Set(made.map(({ user }) => user.userId)).size).toBe(1);
    const types = (await accountEvents()).map(({ type }) => type);
    expect(types.toSorted()).toEqual([
      'api-key-created.v1',
      'team-created.v1',
      'team-member-added.v1',
      'user-password-set.v1',
      'user-registered.v1',
    ]);
    const check = { userId: userIdOf('ada@example.com'), password: 'correct horse', network: '::1' };
    const { coordination } = system.application.ports;
    expect(await checkPassword(coordination, system.secret, check)).toEqual({ kind: 'right', generation: 1 });
    await Promise.all(applications.map((each) => each.close()));
  });
});

/** Processes that append to a stream only once all of them are about to, having read the same events. */
function meetingAtAppends(ports: Ports, count: number): readonly Application[] {
  const arrived = new Map<string, (() => void)[]>();
  const append: EventStore['append'] = async (stream, expected, events) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const place = `${stream} ${JSON.stringify(expected)}`;
    const all = [...(arrived.get(place) ?? []), resolve];
    arrived.set(place, all);
    if (all.length >= count) for (const go of all) go();
    await promise;
    return ports.eventStore.append(stream, expected, events);
  };
  const eventStore = new Proxy(ports.eventStore, {
    get(target, property) {
      if (property === 'append') return append;
      const value = Reflect.get(target, property) as unknown;
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return Array.from({ length: count }, () => new Application({ ...ports, eventStore }));
}
