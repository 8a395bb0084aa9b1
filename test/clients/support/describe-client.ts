import { randomUUID } from 'node:crypto';
import type { Client, ClientKind, Failure } from './client.js';
import { CITY } from './tools.js';
import { MODELS, startWorld, type Connection, type World } from './world.js';

const STYLES = ['openai', 'anthropic'] as const;

/** Tests the abilities that every client must have, on a model of each style, and `more` that only this one has. */
export function describeClient(kind: ClientKind, more?: (world: () => World) => void): void {
  describe(kind.name, () => {
    let world: World;
    const connect = (differing?: Partial<Connection>): Client => kind.connect(world.connection(differing));
    beforeAll(async () => {
      world = await startWorld();
    });
    afterAll(() => world.close());
    afterEach(() => expect(world.problemsOf(world.exchanges())).toEqual([]));

    describe.each(STYLES)('on a model of %s style', (style) => {
      const model = MODELS[style];
      const upstream = () => world.upstreams[style];

      it('is answered with text and usage', async () => {
        const prompt = 'Grüße, 世界 💥 "quoted"\nand a second line';
        const { text, cutShort, inputTokens, cachedTokens } = await connect().text(model, prompt);
        expect([text, cutShort]).toEqual([`You said: ${prompt}`, false]);
        expect([undefined, 12]).toContain(inputTokens);
        expect([undefined, 4]).toContain(cachedTokens);
      });

      it('is streamed to in pieces, with usage', async () => {
        const pieces: string[] = [];
        const said = await connect().stream(model, 'tell me 世界 💥', (piece) => pieces.push(piece));
        expect([pieces.length > 2, pieces.join(''), said.text]).toEqual([
          true,
          'You said: tell me 世界 💥',
          'You said: tell me 世界 💥',
        ]);
        if (kind.countsInputFirst && style === 'openai') return expect(said.inputTokens).toBeGreaterThan(0);
        expect([undefined, 12]).toContain(said.inputTokens);
        expect([undefined, 4]).toContain(said.cachedTokens);
      });

      it('learns that the limit on tokens ended an answer', async () => {
        const options = { maxTokens: 2 };
        expect(await connect().text(model, 'one two three', options)).toMatchObject({ cutShort: true });
        expect(await connect().stream(model, 'one two three', () => {}, options)).toMatchObject({ cutShort: true });
      });

      it.each(['whole', 'streamed'] as const)('calls a tool and goes on with what it gave, %s', async (way) => {
        expect(await connect().useTools(model, 'How is the weather?', way)).toEqual({
          calls: [{ name: 'get_weather', input: { city: 'Paris' } }],
          text: 'The tools said sun in Paris',
        });
      });

      it.each(['whole', 'streamed'] as const)('calls tools in parallel, %s', async (way) => {
        const { calls, text } = await connect().useTools(model, 'Use all tools', way);
        expect(calls.map(({ name }) => name).toSorted()).toEqual(['get_time', 'get_weather']);
        expect(text).toBe('The tools said sun in Paris and noon in Paris');
      });

      it('is given an answer to a schema', async () => {
        expect(await connect().structured(model, 'Describe a city')).toEqual(CITY);
      });

      it.each([
        ['(status 400)', 400, /the prompt asked for it/],
        ['(status 422)', 422, /the prompt asked for it/],
        ['(status 429)', kind.saturated, /./],
        ['(status 529)', kind.saturated, /./],
        ['(status 500)', 503, /./],
        ['(status 401)', 503, /./],
        ['(status 0)', 503, /./],
      ])('an upstream that answers %s is %s of its own class', async (prompt, status, message) => {
        for (const ask of [() => connect().text(model, prompt), () => connect().stream(model, prompt, () => {})]) {
          const failure = await failed(kind, ask());
          expect(failure).toMatchObject({ name: kind.errorName(status), status });
          expect(failure.message).toMatch(message);
        }
      });

      it.each(['(pause)', '(hang)'])('aborted: the upstream is left, and the call recorded once %s', async (what) => {
        const prompt = `${what} ${randomUUID()}`;
        const gone = new AbortController();
        const asked = upstream().seen.length;
        const call = connect().stream(model, prompt, () => gone.abort(), { signal: gone.signal });
        call.catch(() => undefined);
        const seen = await upstream().request(asked);
        if (what === '(hang)') gone.abort();
        await call.then(
          () => expect(gone.signal.aborted).toBe(true),
          () => undefined,
        );
        await seen.left;
        expect(await recorded(prompt)).toEqual([expect.objectContaining({ error_type: 'cancelled' })]);
      });

      it('cut in mid-stream: it throws, and the call is recorded once', async () => {
        const prompt = `(cut) ${randomUUID()}`;
        const pieces: string[] = [];
        await failed(
          kind,
          connect().stream(model, prompt, (piece) => pieces.push(piece)),
        );
        expect(pieces.join('')).toBe('First words ');
        expect(await recorded(prompt)).toEqual([expect.objectContaining({ status: 'failed' })]);
      });
    });

    it('tries again what the upstream could not answer, and not what it refused', async () => {
      const counts = STYLES.map(async (style) => {
        const { seen } = world.upstreams[style];
        const before = seen.length;
        const prompt = `(once 503) ${randomUUID()}`;
        expect((await connect({ retries: 2 }).text(MODELS[style], prompt)).text).toBe(`You said: ${prompt}`);
        const answered = seen.length;
        await failed(kind, connect({ retries: 2 }).text(MODELS[style], '(status 400)'));
        return [answered - before, seen.length - answered];
      });
      expect(await Promise.all(counts)).toEqual([
        [2, 1],
        [2, 1],
      ]);
    });

    it('a call without a valid key is 401', async () => {
      const key = `pio_sk_${'A'.repeat(43)}`;
      expect(await failed(kind, connect({ key }).text(MODELS.openai, 'hi'))).toMatchObject({
        ...{ name: kind.errorName(401), status: 401 },
      });
    });

    it('an unknown model is 404', async () => {
      expect(await failed(kind, connect().text('acme/none', 'hi'))).toMatchObject({
        ...{ name: kind.errorName(404), status: 404 },
      });
    });

    it('a base decoder is 400', async () => {
      expect(await failed(kind, connect().text(MODELS.base, 'hi'))).toMatchObject({
        ...{ name: kind.errorName(400), status: 400 },
      });
    });

    it('a model of embeddings is 409, and is asked once', async () => {
      const failure = await failed(
        kind,
        connect({ retries: kind.obeysShouldRetry ? 2 : 0 }).text(MODELS.embedding, 'hi'),
      );
      expect(failure).toMatchObject({ name: kind.errorName(409), status: 409 });
      const exchanges = world.exchanges();
      expect(exchanges).toHaveLength(1);
      expect(world.problemsOf(exchanges)).toEqual([]);
    });

    it('over the limit of requests it is 429, and told when to come again', async () => {
      const key = await world.keyOverLimit();
      expect(await failed(kind, connect({ key }).text(MODELS.openai, 'hi'))).toMatchObject({
        ...{ name: kind.errorName(429), status: 429 },
      });
      const { headers } = world.exchanges()[0]!;
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(headers.get('x-ratelimit-scope')).toBe('request-rate');
    });

    if (kind.takesExtras)
      it('asks an encoder, whole and as a stream', async () => {
        const options = { extras: { schema: ['person'] } };
        const whole = await connect().text(MODELS.encoder, 'Anna Smith flies to Paris', options);
        expect(JSON.parse(whole.text).entities.person[0].text).toBe('Anna Smith');
        const streamed = await connect().stream(MODELS.encoder, 'Anna Smith flies to Paris', () => {}, options);
        expect(JSON.parse(streamed.text)).toEqual(JSON.parse(whole.text));
      });

    more?.(() => world);

    /** The history's records of the calls with this prompt, once there are some. */
    const recorded = (prompt: string): Promise<readonly unknown[]> =>
      world.api.until(
        async () => {
          const { body } = await world.api.call('GET', '/inferences?limit=20');
          return (body.inferences as readonly unknown[]).filter((one) => JSON.stringify(one).includes(prompt));
        },
        (mine) => mine.length > 0,
      );
  });
}

async function failed(kind: ClientKind, call: Promise<unknown>): Promise<Failure> {
  const answer = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in answer) return kind.failureOf(answer.error);
  throw new Error(`it was answered: ${JSON.stringify(answer.value)}`);
}
