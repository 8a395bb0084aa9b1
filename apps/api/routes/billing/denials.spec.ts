import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BillingGate } from '#application/billing/index.js';
import { ABSENT, CoordinationUnavailableError } from '#ports/coordination/port.js';
import { readCatalog } from '#models/catalog/read.js';
import { startTestApi, type Answer, type TestSystem } from '#test/support/api.js';
import { operate } from '#test/support/operate.js';
import { startScriptedProvider, type ScriptedProvider } from '#test/support/scripted-provider.js';

const ENCODER = 'anneal/encoder-base-v1';
const DIRECT = 'frontier/big-1';
const BILLING_URL = 'https://pay.example.com/credits';

describe('calls refused for billing or region', () => {
  let directory: string;
  let api: TestSystem;
  let provider: ScriptedProvider;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-denials-'));
    provider = await startScriptedProvider();
    const [encoder] = readCatalog().entries;
    const direct = {
      ...{ id: DIRECT, label: 'Big', description: 'Served by a provider', task_type: 'decoder', family: 'frontier' },
      ...{ context_window: 8192, instruct: true, supports_inference: true, supports_training: false },
      ...{ supports_on_demand_inference: false, input_price_per_million: 3, output_price_per_million: 15 },
      provider: { name: 'scripted', model: 'big-1' },
    };
    const modelCatalog = join(directory, 'models.json');
    const providers = join(directory, 'providers.json');
    const models = [{ ...encoder, blocked_regions: ['KP'] }, direct];
    await writeFile(modelCatalog, JSON.stringify({ models, aliases: {} }));
    await writeFile(
      providers,
      JSON.stringify({ providers: { scripted: { style: 'openai', base_url: provider.url } } }),
    );
    api = await startTestApi({ modelCatalog, providers, billingUrl: BILLING_URL });
  });
  afterAll(async () => {
    await api.close();
    await provider.close();
    await rm(directory, { recursive: true });
  });

  const encode = (headers: Record<string, string> = {}): Promise<Answer> =>
    api.call(
      'POST',
      '/inference',
      { model_id: ENCODER, text: 'Ada lives in London', schema: ['person'] },
      {
        'x-api-key': api.key,
        ...headers,
      },
    );
  const direct = (headers: Record<string, string> = {}): Promise<Answer> => {
    const body = { model_id: DIRECT, task: 'generate', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 };
    return api.call('POST', '/inference', body, { 'x-api-key': api.key, ...headers });
  };

  /** Checks the native and the Anthropic error. */
  async function expectRefused(call: typeof encode, status: number, code: string): Promise<void> {
    const native = await call();
    expect([native.status, native.body]).toEqual([
      status,
      { code, message: expect.any(String), resolution_url: BILLING_URL },
    ]);
    expect(native.headers.get('x-should-retry')).toBe('false');
    const anthropic = await call({ 'anthropic-version': '2023-06-01' });
    expect([anthropic.status, anthropic.body]).toEqual([
      status,
      {
        type: 'error',
        error: {
          type: status === 402 ? 'billing_error' : 'permission_error',
          message: expect.any(String),
          code,
          resolution_url: BILLING_URL,
        },
        request_id: anthropic.headers.get('x-request-id'),
      },
    ]);
  }

  it('succeed without enforcement, with their cost computed', async () => {
    expect((await encode()).status).toBe(200);
    expect((await direct()).status).toBe(200);
    const { body } = await api.call('GET', '/inferences');
    for (const { cost } of body.inferences as { cost: number }[]) expect(cost).toBeGreaterThan(0);
  });

  it('402 out_of_credits: included credits are exhausted, and there is no paid balance', async () => {
    await operate(api, 'billing.enforce', { enforced: true });
    await expectRefused(encode, 402, 'out_of_credits');
    await operate(api, 'credits.monthly', { dollars: '1' });
    expect((await encode()).status).toBe(200);
  });

  it('402 direct_model_requires_credits: included credits do not pay for a hosted model', async () => {
    await expectRefused(direct, 402, 'direct_model_requires_credits');
    const asked = provider.seen.length;
    await operate(api, 'credits.add', { dollars: '2' });
    expect((await direct()).status).toBe(200);
    expect(provider.seen).toHaveLength(asked + 1);
  });

  it('403 credit_ceiling_reached: the month may draw no more from the paid balance', async () => {
    await operate(api, 'credits.monthly', { dollars: '0' });
    await operate(api, 'credits.ceiling', { dollars: '0.0000001' });
    // The process returns unused credits at its next tick, every 3 s.
    await api.app.get(BillingGate).allotments.tick();
    await expectRefused(encode, 403, 'credit_ceiling_reached');
    await operate(api, 'credits.ceiling', { dollars: 'none' });
    expect((await encode()).status).toBe(200);
  });

  it('403 card_required: a verified payment method is needed, if the operator requires one', async () => {
    await operate(api, 'billing.enforce', { enforced: true, cardRequired: true });
    await expectRefused(encode, 403, 'card_required');
    await operate(api, 'team.set', { card: true });
    expect((await encode()).status).toBe(200);
    await operate(api, 'billing.enforce', { enforced: true, cardRequired: false });
  });

  it("451: the model is blocked in the account's region, whatever its balance", async () => {
    await operate(api, 'team.set', { region: 'KP' });
    const native = await encode();
    expect([native.status, native.body]).toEqual([451, { detail: expect.stringContaining('KP') }]);
    expect(native.headers.get('x-should-retry')).toBe('false');
    const anthropic = await encode({ 'anthropic-version': '2023-06-01' });
    expect([anthropic.status, anthropic.body.error.type]).toEqual([451, 'permission_error']);
    const unknown = await api.call('POST', '/inference', { model_id: 'no/such', text: 'x', schema: ['y'] });
    expect(unknown.status).toBe(404);
    await operate(api, 'team.set', { region: 'DE' });
    expect((await encode()).status).toBe(200);
  });

  it('503 while the billing check cannot be reached; without enforcement calls proceed', async () => {
    const { coordination } = api.application.ports;
    await operate(api, 'billing.enforce', { enforced: false });
    const other = await startTestApi({ rateLimits: false });
    try {
      await operate(other, 'billing.enforce', { enforced: true });
      const lost = () => Promise.reject(new CoordinationUnavailableError('gone'));
      Object.assign(other.application.ports.coordination, { get: lost, compareAndSet: lost, acquireLease: lost });
      const body = { model_id: ENCODER, text: 'Ada', schema: ['person'] };
      const refused = await other.call('POST', '/inference', body);
      expect([refused.status, typeof refused.body.detail]).toEqual([503, 'string']);
      await operate(other, 'billing.enforce', { enforced: false });
      expect((await other.call('POST', '/inference', body)).status).toBe(200);
    } finally {
      await other.close();
    }
    expect(await coordination.compareAndSet('still there', ABSENT, true)).not.toBeNull();
  });

  it('401 for every key and session of a blocked account, until it is unblocked', async () => {
    const ways = [{ 'x-api-key': api.key }, { authorization: `Bearer ${api.session}` }];
    const statuses = () =>
      Promise.all(ways.map(async (headers) => (await api.call('GET', '/account', undefined, headers)).status));
    await operate(api, 'team.block', { reason: 'fraud_review' });
    expect(await statuses()).toEqual([401, 401]);
    const refused = await encode();
    expect([refused.status, refused.body]).toEqual([401, { detail: expect.stringContaining('blocked') }]);
    const anthropic = await encode({ 'anthropic-version': '2023-06-01' });
    expect([anthropic.status, anthropic.body.error.type]).toEqual([401, 'authentication_error']);
    await operate(api, 'team.unblock');
    expect(await statuses()).toEqual([200, 200]);
  });
});
