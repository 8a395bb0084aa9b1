import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compose, type System } from '#apps/composition/compose.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { Settings } from '#settings/index.js';
import { countAttempt, SIGN_IN_BOUNDS, userIdOf } from './index.js';

const { pair, network: ofNetwork, crowd, strangers } = SIGN_IN_BOUNDS;

describe('attempts to sign in', () => {
  const secret = new SecretKey(randomBytes(32));
  let dataDir: string;
  let system: System;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'anneal-attempts-'));
    system = await compose(new Settings({ dataDir, durability: 'normal' }));
  });
  afterEach(async () => {
    await system.close();
    await rm(dataDir, { recursive: true });
  });

  const attempt = (network: string, email = 'ada@example.com') =>
    countAttempt(system.application.ports.coordination, secret, { userId: userIdOf(email), network });
  const isRefused = async (network: string, email?: string) => 'limit' in (await attempt(network, email));
  const signIn = async (network: string, email?: string) => {
    const counted = await attempt(network, email);
    if ('limit' in counted) throw new Error(`refused beyond ${counted.limit}`);
    await counted.succeeded();
  };
  /** Wrong passwords until the next one is refused. @returns how many */
  async function guess(network: string, email?: string): Promise<number> {
    for (let made = 0; ; made += 1) if (await isRefused(network, email)) return made;
  }

  it('from one network are limited for an account, and do not affect its owner elsewhere', async () => {
    expect(await guess('203.0.113.9')).toBe(pair);
    await signIn('198.51.100.1');
    expect(await isRefused('203.0.113.9')).toBe(true);
  });

  it('from one network are limited over all accounts', async () => {
    let made = 0;
    for (let n = 0; made < ofNetwork; n += 1) made += await guess('203.0.113.9', `user-${n}@example.com`);
    expect(made).toBe(ofNetwork);
    expect(await attempt('203.0.113.9', 'one-more@example.com')).toMatchObject({ limit: ofNetwork, ofNetwork: true });
  });

  it('from many networks have one each, while networks that the account used before keep theirs', async () => {
    await signIn('198.51.100.1');
    for (let n = 0; n < crowd / pair; n += 1) expect(await guess(`203.0.113.${n}`)).toBe(pair);
    expect(await guess('203.0.113.200')).toBe(1);
    await signIn('198.51.100.77');
    for (let n = 0; n < pair - 1; n += 1) expect(await isRefused('198.51.100.1')).toBe(false);
    await signIn('198.51.100.1');
  });

  it('from networks that an account never used are limited in total', async () => {
    await signIn('198.51.100.1');
    let made = 0;
    for (let n = 0; made < strangers; n += 1) made += await guess(`2001:db8:0:${n.toString(16)}::/64`);
    expect(await guess('192.0.2.1')).toBe(0);
    await signIn('198.51.100.1');
  });

  it('do not count once the password was right', async () => {
    for (let n = 0; n <= ofNetwork; n += 1) await signIn('198.51.100.1');
    expect(await guess('198.51.100.1')).toBe(pair);
  });

  it('that are refused do not count against others', async () => {
    await guess('203.0.113.9');
    for (let n = 0; n < crowd; n += 1) await attempt('203.0.113.9');
    expect(await guess('198.51.100.1')).toBe(pair);
    expect(await isRefused('203.0.113.9', 'bob@example.com')).toBe(false);
  });

  it('store only a keyed hash of the network', async () => {
    await signIn('198.51.100.1');
    const entries = await system.application.ports.coordination.list('seen-networks:', 10);
    expect(entries).toHaveLength(1);
    expect(JSON.stringify(entries)).not.toContain('198.51');
  });
});
