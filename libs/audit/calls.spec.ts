import type { Finding } from './finding.js';
import { SecretKey } from '#primitives/secrets/index.js';
import type { JsonObject } from '#domain/json.js';
import { Calls, type ContentAccess } from './calls.js';

const WRITER = '0190b6a0-0000-7000-8000-0000000000aa';
const secret = new SecretKey(Buffer.alloc(32, 3));
const CONTENT = { input: { text: 'Ada' }, output: null, errorMessage: null };
const MAC = secret.mac('content-hmac', JSON.stringify(CONTENT));
type Told = readonly [type: string, data: JsonObject, stream?: string];

const metered = (inferenceId: string, more: JsonObject = {}): Told => [
  'call-metered.v1',
  { inferenceId, stored: true, contentHmac: MAC, ...more },
  `metered-2030-01-01-${WRITER}`,
];
const content = (inferenceId: string, more: JsonObject = {}): Told => [
  'call-content.v1',
  { inferenceId, content: { ...CONTENT, ...more } },
  `content-w1-2030-01-01-${WRITER}`,
];
const created: Told = ['log-created.v1', { logId: 'l', secretFingerprint: secret.fingerprint }];
/** A later call of the same process, which shows that the process lived on. */
const LATER = [metered('later'), content('later')];

async function compared(events: readonly Told[], access: ContentAccess | null = { secret, keys: null }) {
  const objects = { get: () => Promise.reject(new Error('no object is read')) };
  const calls = new Calls(objects, access);
  for (const [at, [type, data, stream = 'log-l']] of events.entries()) {
    const texts = { id: 'e', data: JSON.stringify(data), metadata: '{}' };
    await calls.add({ position: String(at).padStart(4, '0'), stream, revision: 0, type, ...texts });
  }
  const findings: Finding[] = [];
  const counts = calls.end((finding) => findings.push(finding));
  return { counts, found: findings.map(({ problem, position, what }) => `${problem} at ${position}: ${what}`) };
}

describe('the verification of calls on a log', () => {
  it('accepts calls whose contents have the HMAC of their record, in either order', async () => {
    const { counts, found } = await compared([created, metered('a'), content('a'), content('b'), metered('b')]);
    expect(found).toEqual([]);
    expect(counts).toMatchObject({ calls: 2, contents: 2, contentsUnchecked: 0, cutOff: 0, isOtherSecret: false });
  });

  it('compares a content that is in the event of its call, and needs no other event of it', async () => {
    const whole = (id: string, more: JsonObject = {}) => metered(id, { content: { ...CONTENT, ...more } });
    const { counts, found } = await compared([created, whole('a'), whole('b', { output: 'Eve' }), whole('c')]);
    expect(found).toEqual(['call at 0002: the content of call b is not the one that its call was recorded with']);
    expect(counts).toMatchObject({ calls: 3, contents: 2, contentsUnchecked: 0, cutOff: 0 });
    expect((await compared([metered('a'), whole('b')])).found).toEqual([
      'call at 0000: the content of call a is not in the log',
    ]);
    expect((await compared([created, whole('a')], null)).counts).toMatchObject({ calls: 1, contentsUnchecked: 1 });
  });

  it('finds an altered content', async () => {
    const { found } = await compared([created, metered('a'), content('a', { output: 'Eve' })]);
    expect(found).toEqual(['call at 0002: the content of call a is not the one that its call was recorded with']);
  });

  it.each([
    ['a call lacks its content', [metered('a'), ...LATER], 'call at 0000: the content of call a is not in the log'],
    [
      'a content lacks its call',
      [content('a'), ...LATER],
      'call at 0000: the metered event of call a is not in the log',
    ],
    [
      'a content belongs to a call without stored content',
      [metered('a', { stored: false, contentHmac: null }), content('a'), ...LATER],
      'call at 0001: the metered event of call a is not in the log',
    ],
  ])('finds that %s', async (_what, events, expected) => {
    expect((await compared(events)).found).toEqual([expected]);
    expect((await compared(events, null)).found).toEqual([expected]);
  });

  it.each([
    ['nothing is to be kept', [metered('a', { stored: false, contentHmac: null }), ...LATER]],
    ['they were interrupted', [metered('a', { contentHmac: null }), ...LATER]],
    ['they were erased', [metered('a'), ['call-content-erased.v1', { inferenceId: 'a' }] as const, ...LATER]],
    ['their process died between both events', [...LATER, metered('a')]],
    ['their process died before the first of both', [...LATER, content('a')]],
  ])('accepts a missing half if %s', async (_why, events) => {
    expect((await compared(events)).found).toEqual([]);
  });

  it('compares them after a rotation by the key that was kept, and finds an altered one', async () => {
    const next = new SecretKey(Buffer.alloc(32, 4), null, [{ 'content-hmac': secret.derive('content-hmac') }]);
    const access = { secret: next, keys: null, earlier: new Set([secret.fingerprint]) };
    const bound: Told = ['log-secret-bound.v1', { fingerprint: next.fingerprint, replaced: secret.fingerprint }];
    const { counts, found } = await compared(
      [created, metered('a'), content('a'), metered('b'), content('b', { output: 'Eve' }), bound],
      access,
    );
    expect(counts).toMatchObject({ contents: 1, contentsUnchecked: 0, isOtherSecret: false });
    expect(found).toEqual(['call at 0004: the content of call b is not the one that its call was recorded with']);
  });

  it("does not compare them with another secret than the log's, nor with one that replaced theirs", async () => {
    const altered = [metered('a'), content('a', { output: 'Eve' })];
    const other: Told = ['log-created.v1', { logId: 'l', secretFingerprint: 'f'.repeat(16) }];
    const first = await compared([other, ...altered]);
    expect(first).toMatchObject({ found: [], counts: { isOtherSecret: true, contents: 0 } });
    const bound: Told = ['log-secret-bound.v1', { fingerprint: secret.fingerprint, replaced: 'f'.repeat(16) }];
    const then = await compared([other, ...altered, bound, metered('b'), content('b')]);
    expect(then).toMatchObject({ found: [], counts: { isOtherSecret: false, contents: 1, contentsUnchecked: 1 } });
  });
});
