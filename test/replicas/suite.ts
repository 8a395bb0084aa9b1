import { FixedWindows } from '#use-cases/limits/fixed-windows.js';
import type { Coordination } from '#ports/coordination/port.js';
import { eventually } from '#test/support/eventually.js';
import { startReplicas, type Replicas } from './replicas.js';

const admin = { email: 'ada@example.com', password: 'correct horse battery' };

/**
 * Promises that hold across replicas of the API, whichever answers.
 * @param place opens coordination, and removes it again; null: the embedded one, for one process
 */
export function replicasSuite(
  place: (() => { readonly open: () => Promise<Coordination>; readonly remove: () => Promise<void> }) | null,
): void {
  let replicas: Replicas;
  let shared: ReturnType<NonNullable<typeof place>> | null;
  beforeAll(async () => {
    shared = place?.() ?? null;
    replicas = await startReplicas({ adminEmail: admin.email, adminPassword: admin.password }, shared?.open);
  });
  afterAll(async () => {
    await replicas.close();
    await shared?.remove();
  });

  const either = (n: number): 0 | 1 => (n % 2 === 0 ? 0 : 1);
  const signIn = (replica: 0 | 1, body: unknown) => replicas.call(replica, 'POST', '/auth/sign-in', body, {});
  /** Number of calls per status. */
  const counted = async (calls: readonly Promise<{ readonly status: number }>[]) => {
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    return (status: number) => statuses.filter((each) => each === status).length;
  };

  it('a session opened by one is good for the other, and for neither once it has been ended by either', async () => {
    const { status, body } = await signIn(0, admin);
    expect(status).toBe(200);
    const headers = { authorization: `Bearer ${String(body['session_token'])}` };
    const asked = async (replica: 0 | 1) =>
      (await replicas.call(replica, 'GET', '/projects', undefined, headers)).status;
    expect([await asked(0), await asked(1)]).toEqual([200, 200]);
    expect((await replicas.call(1, 'POST', '/auth/sign-out', undefined, headers)).status).toBe(200);
    expect([await asked(0), await asked(1)]).toEqual([401, 401]);
  });

  it('wrong passwords count together: ten at most are looked at, however many come at once', async () => {
    // A 503 because too many attempts wait is retried, as clients do.
    const guess = async (n: number): ReturnType<typeof signIn> => {
      const answer = await signIn(either(n), { email: 'guessed@example.com', password: `guess ${n}` });
      return answer.status === 503 ? guess(n) : answer;
    };
    const having = await counted(Array.from({ length: 24 }, (_, n) => guess(n)));
    expect([having(401), having(429)]).toEqual([10, 14]);
    expect([(await guess(0)).status, (await guess(1)).status]).toEqual([429, 429]);
  });

  it('a fixed window lets its limit through once, not once each', async () => {
    const hour = () => Math.floor(Date.now() / 3_600_000);
    const { body } = await signIn(0, admin);
    const headers = { authorization: `Bearer ${String(body['session_token'])}` };
    const make = (n: number) => replicas.call(either(n), 'POST', '/create-api-key', { name: `key ${n}` }, headers);
    let began: number;
    let having: Awaited<ReturnType<typeof counted>>;
    do {
      began = hour();
      having = await counted(Array.from({ length: 70 }, (_, n) => make(n)));
      // Over the turn of an hour there are two windows.
    } while (hour() !== began);
    expect([having(429), having(200) + having(201)]).toEqual([20, 50]);
  });

  it('the same request to both at once, with one Idempotency-Key, is done once', async () => {
    const headers = { 'x-api-key': replicas.key, 'idempotency-key': 'both-at-once' };
    const create = (n: number) => replicas.call(either(n), 'POST', '/projects', { name: 'both' }, headers);
    const answers = await Promise.all(Array.from({ length: 24 }, (_, n) => create(n)));
    const done = answers.filter(({ status }) => status === 200);
    expect(done.length).toBeGreaterThan(0);
    for (const { status } of answers) expect([200, 409]).toContain(status);
    for (const replica of [0, 1]) done.push(await create(replica));
    for (const { body } of done) expect(body).toEqual(done[0]?.body);
    const { body } = await replicas.call(0, 'GET', '/projects');
    expect((body['projects'] as { name: string }[]).filter(({ name }) => name === 'both')).toHaveLength(1);
    expect((await replicas.call(1, 'POST', '/projects', { name: 'other' }, headers)).status).toBe(422);
  });

  it('a name that one promotes stands for it on the other within a second', async () => {
    const [base, embedder] = ['anneal/encoder-base-v1', 'anneal/embedder-base-v1'];
    const ask = async (replica: 0 | 1) =>
      (await replicas.call(replica, 'POST', '/v1/embeddings', { model: 'turned', input: 'Hi' })).status;
    const promote = (version: number) =>
      replicas.call(0, 'PUT', `/models/turned/versions/${version}/promote`, { reason: 'better' });
    await replicas.call(0, 'POST', '/models', { name: 'turned' });
    for (const model_id of [base, embedder]) await replicas.call(0, 'POST', '/models/turned/versions', { model_id });
    await promote(1);
    await eventually(async () => (await ask(0)) === 409 && (await ask(1)) === 409);
    await promote(2);
    // The replica that answered the promotion is bound at once.
    expect(await ask(0)).toBe(200);
    await eventually(async () => (await ask(1)) === 200);
  });

  it('training starts of a minute count together: of forty at once twenty, whoever is asked, with a key or a session', async () => {
    const { body } = await signIn(0, admin);
    const bySession = { authorization: `Bearer ${String(body['session_token'])}` };
    // Empty requests suffice, because they count before their body is read.
    const start = (n: number) =>
      replicas.call(either(n), 'POST', '/felix/training-jobs', {}, n % 3 === 0 ? bySession : undefined);
    const having = await counted(Array.from({ length: 40 }, (_, n) => start(n)));
    expect([having(422), having(429)]).toEqual([20, 20]);
    expect([(await start(0)).status, (await start(1)).status]).toEqual([429, 429]);
  });

  // The embedded adapter has a single writer; its own specs cover this.
  const testEachWithItsOwn = place ? test : test.skip;
  testEachWithItsOwn('windows given out in blocks let no more through than their limit, and hardly less', async () => {
    const own = await Promise.all([1, 2, 3].map(() => shared!.open()));
    const limit = { name: 'blocks', limit: 1_000, windowMs: 60_000 };
    const windows = own.map((coordination) => new FixedWindows(coordination, () => 1_900_000_000_000));
    const verdicts = await Promise.all(Array.from({ length: 1_500 }, async (_, n) => windows[n % 3]!.take(limit, 'a')));
    const allowed = verdicts.filter((verdict) => verdict.allowed).length;
    expect(allowed).toBeLessThanOrEqual(1_000);
    expect(allowed).toBeGreaterThanOrEqual(940);
    for (const coordination of own) await coordination.close();
  });
}
