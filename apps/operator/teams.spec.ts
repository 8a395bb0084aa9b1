import { inDollars, picodollarsOf } from './dollars.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { operate } from '#test/support/operate.js';

describe('the operator’s commands for teams and credits', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api.close());

  const signIn = async (link: unknown) => {
    const answer = await fetch(link as string, { redirect: 'manual' });
    return (answer.headers.get('set-cookie') ?? '').split(';')[0]!;
  };

  it('create a team with a member, who signs in to a private workspace by the printed link', async () => {
    const [team] = await operate(api, 'team.create', { name: 'Second' });
    expect(team).toMatchObject({ name: 'Second', members: 0, plan: 'free', blocked: null });
    const [member] = await operate(api, 'team.add-member', { email: 'Grace@example.com', team: 'Second' });
    const cookie = await signIn(member!['signInLink']);
    const { body } = await api.call('GET', '/account', undefined, { cookie });
    expect(body).toMatchObject({ team_name: 'Second', members_count: 1, workspace_id: member!['workspaceId'] });
    expect(await operate(api, 'team.list')).toMatchObject([{ name: 'Team' }, { name: 'Second', members: 1 }]);
    expect(await operate(api, 'team.members', { team: team!['id']! })).toMatchObject([{ email: 'grace@example.com' }]);
  });

  it('print a sign-in link again, with host and path, until the member leaves', async () => {
    const email = 'barbara@example.com';
    await operate(api, 'team.add-member', { email });
    const [made] = await operate(api, 'sign-in-link', { email });
    expect(made!['signInLink']).toMatch(`${api.url}/sign-in?token=`);
    const { body } = await api.call('GET', '/auth/session', undefined, { cookie: await signIn(made!['signInLink']) });
    expect(body.email).toBe(email);
    await operate(api, 'team.remove-member', { email });
    await expect(operate(api, 'sign-in-link', { email })).rejects.toThrow(/has left the team/);
  });

  it('stand on the log with the user of the operating system who gave them', async () => {
    await operate(api, 'team.add-member', { email: 'dorothy@example.com', operator: 'root\u001b[1m' });
    const filter = { types: ['user-registered.v1', 'sign-in-link-made.v1'] };
    const events = await Array.fromAsync(api.application.ports.eventStore.readAll({ filter }));
    const as = { actor: 'system:operator', by: 'root\\u001b[1m' };
    expect(events.slice(-2).map(({ type, metadata }) => ({ type, metadata }))).toMatchObject([
      { type: 'user-registered.v1', metadata: as },
      { type: 'sign-in-link-made.v1', metadata: as },
    ]);
  });

  it('keep an address in one team', async () => {
    const adding = operate(api, 'team.add-member', { email: 'grace@example.com' });
    await expect(adding).rejects.toThrow(/already registered/);
  });

  it('revoke a former member’s keys and sessions, which stay refused after the member returns', async () => {
    const [member] = await operate(api, 'team.add-member', { email: 'alan@example.com' });
    const cookie = await signIn(member!['signInLink']);
    const from = { cookie, origin: api.url };
    const made = await api.call('POST', '/create-api-key', { name: 'his' }, from);
    const ways = [{ cookie }, { 'x-api-key': made.body.secret_key as string }];
    const statuses = () =>
      Promise.all(ways.map(async (headers) => (await api.call('GET', '/projects', undefined, headers)).status));
    expect(await statuses()).toEqual([200, 200]);
    await operate(api, 'team.remove-member', { email: 'alan@example.com' });
    expect(await statuses()).toEqual([401, 401]);
    const { body } = await api.call('GET', '/projects', undefined, ways[1]);
    expect(body.detail).toMatch(/no longer a member/);
    const [back] = await operate(api, 'team.add-member', { email: 'alan@example.com' });
    expect(await statuses()).toEqual([401, 401]);
    const again = await signIn(back!['signInLink']);
    expect((await api.call('GET', '/projects', undefined, { cookie: again })).status).toBe(200);
  });

  it('block one team without affecting others', async () => {
    await operate(api, 'team.block', { team: 'Second' });
    expect((await api.call('GET', '/account')).status).toBe(200);
    expect(await operate(api, 'team.list')).toMatchObject([{ blocked: null }, { blocked: 'billing' }]);
  });

  it('keep the credits of each team apart', async () => {
    await operate(api, 'credits.add', { dollars: '5', team: 'Second' });
    expect(await operate(api, 'credits.show')).toMatchObject([
      { name: 'Team', paidBalance: '0.00' },
      { name: 'Second', paidBalance: '5.00', available: '5.00' },
    ]);
    expect(await operate(api, 'credits.ledger', { team: 'Second' })).toMatchObject([
      { kind: 'top_up', dollars: '5.00' },
    ]);
  });

  it.each([
    ['team.create', { name: '' }, /name of the team/],
    ['team.add-member', { email: 'nobody' }, /e-mail/],
    ['team.remove-member', { email: 'nobody@example.com' }, /no user/],
    ['sign-in-link', { email: 'nobody@example.com' }, /no user/],
    ['team.set', {}, /say what to set/],
    ['team.set', { plan: 'gold' }, /free, pro, enterprise/],
    ['team.set', { region: 'Germany' }, /two capital letters/],
    ['team.set', { optOut: true }, /plan is free/],
    ['team.set', { team: 'Third', plan: 'pro' }, /no team "Third"/],
    ['team.rollout', { rollout: 'a b', enabled: true }, /rollout/],
    ['team.limit', { limit: 'nonsense', value: 5 }, /open_uploads/],
    ['team.limit', { limit: 'open_uploads', value: 'many' }, /number, or default/],
    ['credits.add', { dollars: '0' }, /more than 0/],
    ['credits.add', { dollars: '1e3' }, /no amount/],
    ['credits.monthly', { dollars: '-1' }, /below 0/],
    ['credits.correct', { dollars: '1', reason: 'mood' }, /refund/],
  ])('refuse %s %j in one line', async (name, args, message) => {
    await expect(operate(api, name, args)).rejects.toThrow(message);
  });
});

describe('amounts', () => {
  it.each([
    ['12', 12_000_000_000_000n, '12.00'],
    ['0.10', 100_000_000_000n, '0.10'],
    ['-1.5', -1_500_000_000_000n, '-1.50'],
    ['0.000000000001', 1n, '0.000000000001'],
    ['999999999.999999999999', 999_999_999_999_999_999_999n, '999999999.999999999999'],
  ])('%s is exact', (text, picodollars, shown) => {
    expect(picodollarsOf(text)).toBe(picodollars);
    expect(inDollars(picodollars)).toBe(shown);
  });
});
