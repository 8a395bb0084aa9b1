import { jest } from '@jest/globals';
import { fails, says, startScriptedAnthropic } from '#test/support/scripted-anthropic.js';
import {
  begins,
  cuts,
  hangs,
  refuses,
  sends,
  startScriptedProvider,
  streams,
  type Act,
  type ScriptedProvider,
} from '#test/support/scripted-provider.js';
import { hostedModels } from './open.js';
import {
  HostedModelError,
  textMessage,
  type GenerateOptions,
  type GenerationRequest,
  type HostedModel,
  type HostedModels,
} from './port.js';
import { checkProviders } from './providers.js';

const ACME: HostedModel = { name: 'acme', model: 'big' };
const CLAUDE = { name: 'claude', model: 'claude-1' };
const request: GenerationRequest = { messages: [textMessage('user', 'Say hello')], maxTokens: 20 };

describe('an unavailable provider', () => {
  let acme: ScriptedProvider;
  let claude: ScriptedProvider;
  let models: HostedModels;

  const open = async (settings: object = {}) => {
    await models?.close();
    const all = { max_retries: 0, circuit_failure_percent: 100, ...settings };
    const providers = {
      acme: { style: 'openai', base_url: acme.url, ...all },
      claude: { style: 'anthropic', base_url: claude.url, ...all },
    };
    models = hostedModels(checkProviders({ providers }, {}));
  };
  const text = async (model: HostedModel = ACME, asked = request, options?: GenerateOptions) => {
    const events = (await Array.fromAsync(models.generate(model, asked, options))).flat();
    return events.map((event) => (event.type === 'text' ? event.text : '')).join('');
  };
  const failure = async (...args: Parameters<typeof text>): Promise<HostedModelError> => {
    const error = await text(...args).catch((reason: unknown) => reason);
    if (error instanceof HostedModelError) return error;
    throw new Error('it did not fail as a hosted model does', { cause: error });
  };

  beforeEach(async () => {
    [acme, claude] = await Promise.all([startScriptedProvider(), startScriptedAnthropic()]);
    await open();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await models.close();
    await Promise.all([acme.close(), claude.close()]);
  });

  describe('a retry', () => {
    it.each([
      ['retry-after-ms', { 'retry-after-ms': '1' }],
      ['retry-after, which is a second one', { 'retry-after-ms': '1.5', 'retry-after': '3600' }],
      ['a date that has passed', { 'retry-after': new Date(0).toUTCString() }],
      ['an invalid header', { 'retry-after': 'soon' }],
    ])('comes as soon as the provider allows: %s', async (_, headers) => {
      await open({ max_retries: 1 });
      acme.script(refuses(429, {}, headers), streams('at last'));
      expect(await text()).toBe('at last');
    });

    it.each([
      ['long', { 'retry-after-ms': '2001' }, 3],
      ['longer', { 'retry-after': '17' }, 17],
      ['for ever', { 'retry-after': new Date(Date.now() + 1e12).toUTCString() }, 3600],
    ])('is left to the caller if the provider asks to wait %s', async (_, headers, retryAfterSeconds) => {
      await open({ max_retries: 2 });
      acme.script(refuses(503, {}, headers));
      expect(await failure()).toMatchObject({ kind: 'unavailable', details: { retryAfterSeconds } });
      expect(acme.seen).toHaveLength(1);
    });

    it.each([400, 401, 404, 408, 422, 504])('does not follow %i', async (status) => {
      await open({ max_retries: 2 });
      acme.script(refuses(status));
      await failure();
      expect(acme.seen).toHaveLength(1);
    });

    it('does not follow a refusal that the provider declares final', async () => {
      await open({ max_retries: 2 });
      acme.script(refuses(429, {}, { 'x-should-retry': 'false' }));
      expect((await failure()).kind).toBe('saturated');
      expect(acme.seen).toHaveLength(1);
    });

    it('does not follow the first event or an error in a stream', async () => {
      await open({ max_retries: 2 });
      acme.script(begins('Hel', 'cut'));
      expect((await failure()).kind).toBe('unavailable');
      claude.script(says({ content: [], breaksOff: { type: 'overloaded_error', message: 'full' } }));
      expect((await failure(CLAUDE)).kind).toBe('saturated');
      expect([acme.seen.length, claude.seen.length]).toEqual([1, 1]);
    });

    it('does not happen after the caller disconnected', async () => {
      await open({ max_retries: 5 });
      acme.script(refuses(429, {}, { 'retry-after': '2' }));
      const gone = new AbortController();
      const failed = failure(ACME, request, { signal: gone.signal });
      await acme.next();
      gone.abort();
      expect((await failed).kind).toBe('cancelled');
      expect(acme.seen).toHaveLength(1);
    });

    it('does not start after the deadline of the call', async () => {
      await open({ max_retries: 5, total_timeout_ms: 50 });
      acme.script(refuses(429, {}, { 'retry-after': '2' }));
      expect((await failure()).kind).toBe('timeout');
    });

    /** Answers, then closes the connection with the next request, as an idle timeout would. */
    const closes =
      (how: 'destroy' | 'resetAndDestroy'): Act =>
      (response) =>
        void response.socket![how]();
    it.each(['destroy', 'resetAndDestroy'] as const)(
      'is made at once on a new connection if a kept one had been closed (%s), even without retries',
      async (how) => {
        const ports: unknown[] = [];
        const noting =
          (act: Act): Act =>
          (response, seen) => {
            ports.push(response.socket!.remotePort);
            return act(response, seen);
          };
        // A later failure is not retried, however busy the machine is.
        jest.spyOn(performance, 'now').mockReturnValue(performance.now());
        acme.script(...[sends('[]'), closes(how), streams('again')].map(noting));
        await failure();
        // A connection is kept once its answer has been read.
        await new Promise((resolve) => setImmediate(resolve));
        expect(await text()).toBe('again');
        expect(ports[1]).toBe(ports[0]);
        expect(ports[2]).not.toBe(ports[1]);
        acme.script(cuts);
        expect((await failure()).kind).toBe('unavailable');
      },
    );

    it('is made on a new connection also for a call that waited for the kept one', async () => {
      await open({ max_connections: 1 });
      const start = performance.now();
      let passed = 0;
      jest.spyOn(performance, 'now').mockImplementation(() => start + passed);
      const answered = Promise.withResolvers<void>();
      const late: Act = async (response, seen) => {
        await answered.promise;
        return sends('[]')(response, seen);
      };
      acme.script(late, cuts, streams('again'));
      const first = failure();
      await acme.next();
      const second = text();
      await new Promise((resolve) => setImmediate(resolve));
      passed += 2_000;
      answered.resolve();
      await first;
      expect(await second).toBe('again');
      expect(acme.seen).toHaveLength(3);
    });
  });

  it('does not resend a request that is late on a kept connection, or breaks off there later', async () => {
    await open({ first_byte_timeout_ms: 100 });
    acme.script(sends('[]'), hangs);
    await failure();
    // A connection is kept once its answer has been read.
    await new Promise((resolve) => setImmediate(resolve));
    expect((await failure()).kind).toBe('timeout');
    expect(acme.seen).toHaveLength(2);
    const start = performance.now();
    let passed = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => start + passed);
    await open();
    acme.script(sends('[]'), (response) => {
      passed += 2_000;
      response.destroy();
    });
    await failure();
    await new Promise((resolve) => setImmediate(resolve));
    expect((await failure()).kind).toBe('unavailable');
    expect(acme.seen).toHaveLength(4);
  });

  it('is judged by its status if the body of its error breaks off', async () => {
    acme.script((response) => {
      response.writeHead(429, { 'content-length': '100', 'retry-after': '7' });
      response.write('{', () => response.destroy());
    });
    expect(await failure()).toMatchObject({ kind: 'saturated', details: { retryAfterSeconds: 7 } });
  });

  it('has the whole deadline for a whole answer, but must start a stream sooner', async () => {
    await open({ first_byte_timeout_ms: 100 });
    acme.script(hangs);
    expect((await failure()).kind).toBe('timeout');
    const late = Promise.withResolvers<void>();
    claude.script(says({ content: 'Whole', hold: late.promise }));
    const whole = text(CLAUDE, request, { stream: false });
    // The stream started later and times out first; the whole answer is still awaited.
    expect((await failure()).kind).toBe('timeout');
    late.resolve();
    expect(await whole).toBe('Whole');
  });

  describe('a fallback', () => {
    const model: HostedModel = { ...ACME, fallbacks: [CLAUDE] };
    const full = fails(529, { type: 'overloaded_error', message: 'full' });

    it.each<[string, Act, object]>([
      ['is unavailable', refuses(500), {}],
      ['lets nobody in', refuses(401), {}],
      ['is saturated', refuses(429, {}, { 'retry-after': '30' }), { max_retries: 2 }],
      ['makes no sense', sends('[]'), {}],
      ['breaks off', cuts, {}],
      ['is late', hangs, { first_byte_timeout_ms: 100 }],
    ])('answers if the model %s, and the caller learns which provider answered', async (_, act, settings) => {
      await open(settings);
      acme.script(act);
      claude.script(says('from Claude'));
      const answering: object[] = [];
      const onProvider = (provider: object) => void answering.push(provider);
      expect(await text(model, request, { onProvider })).toBe('from Claude');
      expect(answering).toMatchObject([CLAUDE]);
      expect(claude.seen[0]!.body).toMatchObject({
        model: 'claude-1',
        messages: [{ role: 'user', content: 'Say hello' }],
      });
    });

    it('is not called if the model answers, rejects, or has begun', async () => {
      const onProvider = jest.fn();
      acme.script(streams('Hi'), refuses(400), begins('Hel', 'cut'));
      expect(await text(model, request, { onProvider })).toBe('Hi');
      expect(onProvider.mock.calls).toMatchObject([[ACME]]);
      expect((await failure(model)).kind).toBe('rejected');
      expect((await failure(model)).kind).toBe('unavailable');
      expect(claude.seen).toEqual([]);
    });

    it("gets the caller's own body only in its own style", async () => {
      acme.script(refuses(500));
      claude.script(full);
      const body = { model: 'x', messages: [{ role: 'user', content: 'Say hello' }], odd: 1 };
      await failure(model, { ...request, verbatim: { style: 'openai', body } });
      expect(acme.seen[0]!.body).toMatchObject({ model: 'big', odd: 1 });
      expect(claude.seen[0]!.body).not.toHaveProperty('odd');
      await failure(
        { ...CLAUDE, fallbacks: [ACME] },
        { ...request, verbatim: { style: 'anthropic', body: { ...body, max_tokens: 20 } } },
      );
      expect(claude.seen[1]!.body).toMatchObject({ model: 'claude-1', odd: 1 });
      expect(acme.seen[1]!.body).not.toHaveProperty('odd');
    });

    it("is called after those before it; if none answers, the caller gets the model's error", async () => {
      acme.script(refuses(429, {}, { 'retry-after': '30' }));
      claude.script(full);
      const chain = {
        ...model,
        fallbacks: [{ name: 'nobody', model: 'm' }, CLAUDE, { name: 'claude', model: 'claude-2' }],
      };
      expect(await failure(chain)).toMatchObject({ kind: 'saturated', details: { retryAfterSeconds: 30 } });
      expect(claude.seen.map(({ body }) => body.model as string)).toEqual(['claude-1', 'claude-2']);
    });

    it('ends the call when it rejects the request', async () => {
      acme.script(refuses(500));
      const chain = { ...model, fallbacks: [CLAUDE, { name: 'acme', model: 'other' }] };
      expect((await failure(chain, { ...request, logitBias: { 5: 1 } })).kind).toBe('unavailable');
      expect([acme.seen.length, claude.seen.length]).toEqual([1, 0]);
    });

    it('is not called after the caller disconnected', async () => {
      acme.script(hangs);
      const gone = new AbortController();
      const failed = failure(model, request, { signal: gone.signal });
      const seen = await acme.next();
      gone.abort();
      expect((await failed).kind).toBe('cancelled');
      await seen.left;
      expect(claude.seen).toEqual([]);
    });

    it('makes embeddings as well', async () => {
      acme.script(refuses(500), sends('{"data": [{"index": 0, "embedding": [1, 2]}]}'));
      const chain = { ...ACME, fallbacks: [{ name: 'acme', model: 'other' }] };
      expect(await models.embed(chain, { inputs: ['x'] })).toMatchObject({ vectors: [[1, 2]] });
      expect(acme.seen.map(({ body }) => body.model as string)).toEqual(['big', 'other']);
    });
  });

  describe('a circuit', () => {
    let now: number;
    const OPEN = { circuit_calls: 4, circuit_failure_percent: 50, circuit_open_ms: 10_000 };
    const times = async (count: number, model: HostedModel = ACME) => {
      for (let calls = 0; calls < count; calls += 1) await failure(model);
    };

    beforeEach(async () => {
      now = Date.now();
      jest.spyOn(Date, 'now').mockImplementation(() => now);
      await open(OPEN);
    });

    it.each<[string, Act, HostedModelError['kind']]>([
      ['that fails', refuses(500), 'unavailable'],
      ['that is saturated', refuses(429), 'saturated'],
      ['that is late', refuses(504), 'unavailable'],
    ])('opens for a model %s: calls are refused at once, with Retry-After', async (_, act, kind) => {
      acme.script(act);
      await times(2);
      now += 2_500;
      const refused = await failure();
      expect(refused).toMatchObject({ kind, provider: 'acme', details: { retryAfterSeconds: 8 } });
      expect(refused.message).not.toContain('acme');
      expect(acme.seen).toHaveLength(2);
      // Other models of the provider, and other providers' models, are not affected.
      await failure({ name: 'acme', model: 'other' });
      expect(acme.seen).toHaveLength(3);
      expect(await text(CLAUDE)).toBe('scripted');
    });

    it('admits one call after a while, and closes when it succeeds', async () => {
      acme.script(refuses(500));
      await times(2);
      now += 10_000;
      const probe = Promise.withResolvers<void>();
      acme.script(async (response, seen) => {
        await probe.promise;
        return streams('back')(response, seen);
      });
      const probing = text();
      // The probe does not delay other calls.
      expect(await failure()).toMatchObject({ kind: 'unavailable', details: { retryAfterSeconds: 1 } });
      probe.resolve();
      expect(await probing).toBe('back');
      expect(await text()).toBe('back');
      expect(acme.seen).toHaveLength(4);
    });

    it('closes when its probe succeeds, even if an earlier call is cancelled meanwhile', async () => {
      acme.script(hangs, refuses(500), refuses(500), hangs);
      const gone = new AbortController();
      const before = failure(ACME, request, { signal: gone.signal });
      await acme.next();
      await times(2);
      now += 10_000;
      const probe = Promise.withResolvers<void>();
      acme.script(async (response, seen) => {
        await probe.promise;
        return streams('back')(response, seen);
      });
      const probing = text();
      gone.abort();
      expect((await before).kind).toBe('cancelled');
      probe.resolve();
      expect(await probing).toBe('back');
      expect(await text()).toBe('back');
    });

    it.each(['fails', 'is cancelled'])('stays open if the probe %s', async (how) => {
      acme.script(refuses(500));
      await times(2);
      now += 10_000;
      const gone = new AbortController();
      if (how === 'is cancelled') acme.script(hangs);
      const failed = failure(ACME, request, { signal: gone.signal });
      await acme.next();
      await acme.next();
      await acme.next();
      if (how === 'is cancelled') gone.abort();
      await failed;
      acme.script(streams('back'));
      expect((await failure()).kind).toBe('unavailable');
      expect(acme.seen).toHaveLength(3);
      now += 10_000;
      expect(await text()).toBe('back');
    });

    it('does not open for rejected or cancelled calls, nor while half of the calls succeed', async () => {
      acme.script(...[400, 401, 403, 404, 409].map((status) => refuses(status)));
      await times(6);
      expect(acme.seen).toHaveLength(6);
      acme.script(hangs);
      for (let calls = 0; calls < 6; calls += 1) {
        const gone = new AbortController();
        const failed = failure(ACME, request, { signal: gone.signal });
        gone.abort();
        await failed;
      }
      acme.script(...[0, 1, 2, 3].flatMap(() => [streams('ok'), refuses(500)]));
      for (let calls = 0; calls < 4; calls += 1) {
        expect(await text()).toBe('ok');
        await failure();
      }
    });

    it('does not open for answers that are too large, because requests may cause them', async () => {
      await open({ ...OPEN, max_response_bytes: 10 });
      acme.script(streams('more than ten bytes'));
      await times(6);
      expect(acme.seen).toHaveLength(6);
    });

    it('does not open at 100 percent', async () => {
      await open({ ...OPEN, circuit_failure_percent: 100 });
      acme.script(refuses(500));
      await times(6);
      expect(acme.seen).toHaveLength(6);
    });

    it('is not bypassed by reading on from a failed call while open', async () => {
      acme.script(refuses(500));
      await times(2);
      const events = models.generate(ACME, request)[Symbol.asyncIterator]();
      await expect(events.next()).rejects.toMatchObject({ kind: 'unavailable' });
      expect(await events.next()).toEqual({ done: true, value: undefined });
      expect(acme.seen).toHaveLength(2);
    });

    it('skips to the fallback while open', async () => {
      acme.script(refuses(500));
      await times(2);
      expect(await text({ ...ACME, fallbacks: [CLAUDE] })).toBe('scripted');
      expect(acme.seen).toHaveLength(2);
    });
  });
});
