import { randomBytes } from 'node:crypto';
import { SecretKey } from '#primitives/secrets/index.js';
import { originOf } from './origin.js';

const secret = new SecretKey(randomBytes(32));

describe('the origin of a request', () => {
  it.each([
    ['203.0.113.77', '203.0.113.0/24'],
    ['::ffff:203.0.113.77', '203.0.113.0/24'],
    ['2001:db8:1:2::7', '2001:db8:1::/48'],
    ['fe80::1%eth0', 'fe80::/48'],
    ['', 'unknown'],
  ])('of %p has the network %s, and a hash that only the secret gives', (ip, network) => {
    const origin = originOf({ ip, headers: {} }, secret);
    expect(origin).toEqual({ network, agent: null, address: expect.stringMatching(/^[\w-]{16}$/) });
    expect(originOf({ ip, headers: {} }, secret)).toEqual(origin);
    const other = originOf({ ip, headers: {} }, new SecretKey(randomBytes(32)));
    expect(other.address).not.toBe(origin.address);
  });

  it('has the name of the program, in visible characters and at most 200 of them', () => {
    const agent = `curl/8\u001b[31m${'x'.repeat(500)}`;
    const origin = originOf({ ip: '::1', headers: { 'user-agent': agent } }, secret);
    expect(origin.agent).toMatch(/^curl\/8\\u001b\[31mx+$/);
    expect(origin.agent!.length).toBeLessThan(210);
  });
});
