import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { prepareBodySchemas } from '#apps/api/edge/validation/body-schema.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { hostedSettings, type HostedSettings } from '#test/support/hosted-settings.js';
import { longestTurnDuring, MAX_TURN_MS } from '#test/support/main-thread.js';
import type { ShapedAnswer, ShapedRequest } from './shape-sender.js';
import type { Shape } from './shapes.js';

const MIB = 1024 * 1024;
/** Else each route has one kind of text a model. */
const ALL = process.env['ANNEAL_ALL_SHAPES'] === '1';
/** Plain, escaped, and of two bytes a unit. */
const TEXTS = ['plain', 'lines', 'emoji'] as const;

/**
 * The place of the text in a route's request, the rest of the body, and the models to call, of both provider styles.
 */
const ROUTES: readonly (readonly [path: string, wrap: Shape['wrap'], others: object])[] = [
  ['/v1/chat/completions', ['messages', '[{"role":"user","content":', '}]'], { max_tokens: 5 }],
  ['/v1/messages', ['messages', '[{"role":"user","content":', '}]'], { max_tokens: 5 }],
  ['/v1/responses', ['input', '', ''], { max_output_tokens: 5 }],
  ['/inference', ['messages', '[{"role":"user","content":', '}]'], { max_tokens: 5 }],
  [
    '/v1/chat/completions',
    ['messages', '[{"role":"user","content":[{"type":"image_url","image_url":{"url":', '}}]}]'],
    { max_tokens: 5 },
  ],
];

describe('a large call that a provider answers and the history stores', () => {
  let api: TestApi;
  let hosted: HostedSettings;
  let providers: Worker;
  let sender: Worker;
  beforeAll(async () => {
    providers = new Worker(new URL('./scripted-thread.js', import.meta.url));
    const [{ openai, anthropic }] = (await once(providers, 'message')) as [{ openai: string; anthropic: string }];
    hosted = await hostedSettings(openai, {}, anthropic);
    api = await startTestApi({ ...hosted.values, rateLimits: false });
    // As `serveApi` does once it listens.
    await prepareBodySchemas();
    sender = new Worker(new URL('./shape-sender.js', import.meta.url));
  });
  afterAll(async () => {
    await sender.terminate();
    await providers.terminate();
    await api.close();
    await hosted.remove();
  });

  async function sent(path: string, shape: Shape): Promise<{ ms: number; status: number; text: string }> {
    const request: ShapedRequest = { url: api.url + path, method: 'POST', headers: { 'x-api-key': api.key }, shape };
    sender.postMessage(request);
    const { ms, result } = await longestTurnDuring(once(sender, 'message') as Promise<[ShapedAnswer]>);
    return { ms, status: result[0][0], text: result[0][1] };
  }

  const kindsOf = (wrap: NonNullable<Shape['wrap']>): readonly Shape['kind'][] =>
    wrap[1].includes('image_url') ? ['image'] : TEXTS;
  const shapeOf = (kind: Shape['kind'], wrap: NonNullable<Shape['wrap']>, others: object): Shape => ({
    ...{ kind, wrap, others, field: wrap[0], bytes: 15 * MIB, values: 25_000 },
  });

  it.each(['acme/chat', 'acme/claude'])('on %s does not block the main thread for long', async (model) => {
    const problems: unknown[] = [];
    // Each route and each text meets both models.
    const place = model === 'acme/chat' ? 0 : 1;
    for (const [index, [path, wrap, others]] of ROUTES.entries())
      for (const kind of kindsOf(wrap!).filter((_, at, { length }) => ALL || (index + place) % length === at)) {
        const named = path === '/inference' ? { model_id: model } : { model };
        const { status, ms, text } = await sent(path, shapeOf(kind, wrap!, { ...named, ...others }));
        if (status !== 200 || ms >= MAX_TURN_MS) problems.push({ path, kind, field: wrap![0], status, ms, text });
      }
    expect(problems).toEqual([]);
  });

  it('reports the length limit of instructions, which answers repeat', async () => {
    const shape = shapeOf('plain', ['instructions', '', ''], { model: 'acme/chat', input: 'x' });
    const { status, text } = await sent('/v1/responses', shape);
    expect([status, text]).toEqual([422, expect.stringContaining('must be at most 1048576 characters long')]);
  });

  it('does not block the main thread for long when a later call refers to it', async () => {
    const model = 'acme/chat';
    const first = await sent('/v1/responses', shapeOf('lines', ['input', '', ''], { model }));
    const id = /"id":"(resp_[^"]+)"/.exec(first.text)?.[1];
    const shape = shapeOf('plain', ['input', '', ''], { model, previous_response_id: id });
    const { status, ms, text } = await sent('/v1/responses', { ...shape, bytes: 500 });
    expect({ status, text: status === 200 ? '' : text, isShort: ms < MAX_TURN_MS, ms }).toMatchObject({
      ...{ status: 200, isShort: true },
    });
  });
});
