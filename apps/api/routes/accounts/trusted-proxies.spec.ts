import { anotherApi } from '#test/support/another-api.js';
import { startTestApi, type TestApi } from '#test/support/api.js';

describe('the network address under which sign-in attempts are counted', () => {
  let system: TestApi;
  beforeAll(async () => {
    system = await startTestApi();
  });
  afterAll(() => system.close());

  /** @returns under how many addresses attempts were counted that came from two clients through one proxy */
  async function addressesCounted(trustedProxies: string | null): Promise<number> {
    const api = await anotherApi(system, { trustedProxies });
    const { coordination } = system.application.ports;
    const increment = coordination.increment.bind(coordination);
    try {
      const keys: string[] = [];
      coordination.increment = (key, ...rest) => {
        if (key.startsWith('sign-in-attempts:address:')) keys.push(key);
        return increment(key, ...rest);
      };
      for (const client of ['203.0.113.1', '203.0.113.2'])
        await api.call('POST', '/auth/sign-in', { email: 'a@b.c', password: 'x' }, { 'x-forwarded-for': client });
      expect(keys).toHaveLength(2);
      return new Set(keys).size;
    } finally {
      coordination.increment = increment;
      await api.close();
    }
  }

  it('comes from X-Forwarded-For when a trusted proxy sends it', async () => {
    expect(await addressesCounted('loopback')).toBe(2);
  });

  it('comes from the connection when the sender is not a trusted proxy', async () => {
    expect(await addressesCounted(null)).toBe(1);
    expect(await addressesCounted('10.0.0.0/8')).toBe(1);
  });
});
