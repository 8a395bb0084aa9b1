import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { startTestApi, type TestSystem } from '#test/support/api.js';
import { hostedSettings, PROVIDER_KEY, type HostedSettings } from '#test/support/hosted-settings.js';
import { startScriptedProvider, type ScriptedProvider } from '#test/support/scripted-provider.js';
import { describeWith } from '#test/torch/environment.js';
import { startLiteLlmProxy, type LiteLlmProxy } from './support/litellm-proxy.js';
import { openAiUpstream } from './support/openai-upstream.js';
import { Published } from './support/published.js';
import { calledBy, pythonGateways } from './support/python.js';
import { CITY_SCHEMA } from './support/tools.js';
import { startWorld, type World } from './support/world.js';

const SAID = 'You said: Name a city';
const TOLD = 'The tools said Lyon';
const messages = [{ role: 'user' as const, content: 'Name a city' }];
const tools = [{ type: 'function' as const, function: { name: 'find', parameters: CITY_SCHEMA } }];

const both = (name: string, gave: unknown) =>
  ['openai', 'anthropic'].map((style) => [`${name} ${style}`, gave] as const);
const instructed = (style: string, ...modes: readonly string[]) =>
  modes.map((mode) => [`instructor_${style} ${mode}`, ['City', 'City']] as const);

await describeWith('LiteLLM and Instructor', pythonGateways, (python) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.close());

  const calls: readonly (readonly [string, unknown])[] = [
    ...both('litellm_chat', [SAID, true]),
    ...both('litellm_stream', [SAID, 'stop']),
    ...both('litellm_tools', ['find', TOLD]),
    ...both('litellm_responses', SAID),
    ['litellm_embeddings', [true, true]],
    ...instructed('openai', 'TOOLS', 'TOOLS_STRICT', 'JSON_SCHEMA', 'RESPONSES_TOOLS'),
    ...instructed('anthropic', 'ANTHROPIC_TOOLS'),
  ];
  let given: Readonly<Record<string, unknown>>;
  beforeAll(async () => {
    const { url, key } = world.api;
    const names = calls.map(([name]) => name).join(',');
    given = (await calledBy({ python, program: 'gateways.py' }, names, { url, key })) as typeof given;
  });
  it.each(calls)('work unchanged as clients: %s', (name, gave) => expect(given[name]).toEqual(gave));

  describe("LiteLLM's proxy in front", () => {
    let proxy: LiteLlmProxy;
    beforeAll(async () => {
      const { url, key: api_key } = world.api;
      proxy = await startLiteLlmProxy(python, [
        { model_name: 'chat', litellm_params: { model: 'openai/acme/chat', api_base: `${url}/v1`, api_key } },
        { model_name: 'claude', litellm_params: { model: 'anthropic/acme/claude', api_base: url, api_key } },
        {
          ...{ model_name: 'embed', model_info: { mode: 'embedding' } },
          litellm_params: { model: 'openai/anneal/embedder-base-v1', api_base: `${url}/v1`, api_key },
        },
      ]);
    });
    afterAll(() => proxy.close());

    const speaks = () => askAll(`${proxy.url}/v1`, 'any', ['chat', 'claude']);
    it('reaches models of both styles, whole and streamed, with tools', async () => {
      expect(await speaks()).toEqual(['chat', 'claude'].map(() => [SAID, [SAID, 'stop'], ['find', TOLD]]));
    });

    it('reaches them by the Messages API too, and embedders', async () => {
      const anthropic = new Anthropic({ baseURL: proxy.url, apiKey: 'any', maxRetries: 0 });
      for (const model of ['chat', 'claude']) {
        const { content } = await anthropic.messages.create({ model, messages, max_tokens: 100 });
        expect(content).toMatchObject([{ type: 'text', text: SAID }]);
      }
      const openai = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: 'any', maxRetries: 0 });
      const { data } = await openai.embeddings.create({
        model: 'embed',
        input: ['one', 'two'],
        encoding_format: 'float',
      });
      expect(data.map(({ embedding }) => embedding.length)).toEqual([256, 256]);
    });
  });

  describe("LiteLLM's proxy behind, as a provider", () => {
    let upstream: ScriptedProvider;
    let proxy: LiteLlmProxy;
    let settings: HostedSettings;
    let api: TestSystem;
    beforeAll(async () => {
      upstream = await startScriptedProvider();
      upstream.script(openAiUpstream(await Published.read()));
      const api_base = upstream.url;
      proxy = await startLiteLlmProxy(
        python,
        ['chat', 'embed'].map((name) => ({
          ...{ model_name: name, litellm_params: { model: `openai/${name}`, api_base, api_key: PROVIDER_KEY } },
          ...(name === 'embed' && { model_info: { mode: 'embedding' } }),
        })),
      );
      settings = await hostedSettings(`${proxy.url}/v1`);
      api = await startTestApi(settings.values);
    });
    afterAll(async () => {
      await api.close();
      await settings.remove();
      await proxy.close();
      await upstream.close();
    });

    it('answers whole and streamed, with tools, and by the Messages API', async () => {
      expect(await askAll(`${api.url}/v1`, api.key, ['acme/chat'])).toEqual([[SAID, [SAID, 'stop'], ['find', TOLD]]]);
      const anthropic = new Anthropic({ baseURL: api.url, apiKey: api.key, maxRetries: 0 });
      const { content } = await anthropic.messages.create({ model: 'acme/chat', messages, max_tokens: 100 });
      expect(content).toMatchObject([{ type: 'text', text: SAID }]);
    });

    it('takes texts and token ids to embed', async () => {
      const openai = new OpenAI({ baseURL: `${api.url}/v1`, apiKey: api.key, maxRetries: 0 });
      for (const input of [
        ['one', 'two'],
        [[606], [20375]],
      ])
        expect((await openai.embeddings.create({ model: 'acme/embed', input })).data).toHaveLength(2);
    });

    it('has its refusals repeated with their message', async () => {
      const { status, body } = await api.call('POST', '/v1/chat/completions', {
        ...{ model: 'acme/chat', messages: [{ role: 'user', content: '(status 400)' }] },
      });
      expect([status, body.error.message]).toEqual([400, expect.stringContaining('the prompt asked for it')]);
    });
  });
});

/** What each model says: whole, in a stream, and with a tool. */
const askAll = (baseURL: string, apiKey: string, models: readonly string[]) =>
  Promise.all(
    models.map(async (model) => {
      const { chat } = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
      const whole = await chat.completions.create({ model, messages });
      const pieces = await Array.fromAsync(await chat.completions.create({ model, messages, stream: true }));
      const choices = pieces.flatMap((piece) => piece.choices);
      const first = (await chat.completions.create({ model, messages, tools })).choices[0]!.message;
      const [call] = first.tool_calls!;
      const result = { role: 'tool' as const, tool_call_id: call!.id, content: 'Lyon' };
      const second = await chat.completions.create({ model, messages: [...messages, first, result], tools });
      return [
        whole.choices[0]!.message.content,
        [
          choices.map(({ delta }) => delta.content ?? '').join(''),
          choices.findLast((each) => each.finish_reason)!.finish_reason,
        ],
        [call!.type === 'function' && call!.function.name, second.choices[0]!.message.content],
      ];
    }),
  );
