import { jest } from '@jest/globals';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '#test/support/eventually.js';
import { begins, refuses, says, startScriptedVllm, type ScriptedVllm } from '#test/vllm/scripted-vllm.js';
import { baseModelSha256 } from '#gpu-runner/contract/engines.js';
import {
  EngineUnavailableError,
  RefusedGenerationError,
  type GeneratedChunk,
  type GenerateRequest,
  type LoadedDecoder,
} from '../decoder-engine.js';
import { ArtifactError } from '../engine.js';
import { checkServers, connectionOf } from './server-settings.js';
import { VllmServer } from './server.js';

const BASE = 'ada/tiny';
const KEY = 'vllm-secret-key';
const never = new AbortController().signal;
const CHAT: GenerateRequest = { input: { messages: [{ role: 'user', content: 'Where is it?' }] }, maxTokens: 16 };
const END: GeneratedChunk = { type: 'end', reason: 'stop', inputTokens: 7, outputTokens: 3 };

describe('a vLLM server by address', () => {
  let folder: string;
  let baseDirectory: string;
  let vllm: ScriptedVllm;
  let opened: VllmServer[];
  let logged: jest.SpiedFunction<typeof console.error>;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vllm-engine-'));
    baseDirectory = join(folder, 'base');
    await mkdir(baseDirectory);
    await writeFile(join(baseDirectory, 'manifest.json'), '{"id": "ada/tiny"}');
    await mkdir(join(folder, 'shared'));
    const mounted = { at: '/served', from: join(folder, 'shared') };
    vllm = await startScriptedVllm({ model: 'tiny', apiKey: KEY, mounted });
    opened = [];
    logged = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  });
  afterEach(async () => {
    logged.mockRestore();
    await Promise.all(opened.map((server) => server.close()));
    await vllm.close();
    await rm(folder, { recursive: true });
  });

  const serverOf = (fields: object = {}, { hasChatTemplate = true, runner = 'gpu.1' } = {}): VllmServer => {
    const entry = {
      ...{ base: BASE, model: 'tiny', base_url: vllm.url, api_key_env: 'VLLM_KEY', max_retries: 0 },
      ...{ adapters_dir: join(folder, 'shared'), server_adapters_dir: '/served', max_loras: 2, ...fields },
    };
    const environment = { VLLM_KEY: KEY };
    const [settings] = checkServers({ servers: { rack: entry } }, environment);
    const connection = connectionOf(settings!, environment);
    const server = new VllmServer({ settings: settings!, connection, hasChatTemplate, runner });
    opened.push(server);
    return server;
  };
  const adapter = async (name: string, { r = 8, sha256 = '' } = {}): Promise<string> => {
    const directory = join(folder, name);
    await mkdir(directory);
    const base = { id: BASE, sha256: sha256 || (await baseModelSha256(baseDirectory)) };
    await writeFile(join(directory, 'adapter_model.safetensors'), `weights of ${name}`);
    await writeFile(join(directory, 'adapter_config.json'), JSON.stringify({ peft_type: 'LORA', r }));
    await writeFile(join(directory, 'anneal.json'), JSON.stringify({ engine: 'torch', base }));
    await writeFile(join(directory, 'texts.json'), 'rows of the dataset');
    return directory;
  };
  const answerOf = (model: LoadedDecoder, request = CHAT, signal = never) =>
    Array.fromAsync(model.generate(request, signal));
  const namesThere = () => [...vllm.adapters.keys()];
  const logLines = () => logged.mock.calls.flat().join('\n');

  it("generates with the base, streamed, under the server's name for it", async () => {
    vllm.script(says('In Ghent.'));
    const base = await serverOf().load(baseDirectory, null);
    expect(await answerOf(base)).toEqual([{ type: 'text', text: 'In ' }, { type: 'text', text: 'Ghent.' }, END]);
    expect(vllm.asked[0]).toMatchObject({
      path: '/v1/chat/completions',
      body: {
        ...{ model: 'tiny', stream: true, stream_options: { include_usage: true }, max_tokens: 16 },
        ...{ messages: [{ role: 'user', content: 'Where is it?' }], temperature: 0, top_p: 1, top_k: -1 },
        ...{ frequency_penalty: 0, presence_penalty: 0, repetition_penalty: 1, min_p: 0 },
      },
    });
  });

  it('loads an adapter from a folder with only its weights and configuration', async () => {
    const model = await serverOf().load(baseDirectory, await adapter('orders'));
    const [[name, path] = ['', '']] = [...vllm.adapters];
    expect(path).toMatch(/^\/served\/anneal-[0-9a-f]{12}\/anneal-[0-9a-f]{12}-[0-9a-f]{24}-1$/);
    const there = path.replace('/served', join(folder, 'shared'));
    expect((await readdir(there)).toSorted()).toEqual(['adapter_config.json', 'adapter_model.safetensors']);
    expect(await readFile(join(there, 'adapter_model.safetensors'), 'utf8')).toBe('weights of orders');
    expect((await stat(there)).mode & 0o777).toBe(0o750);
    expect(model.byteSize).toBe('weights of orders'.length);
    await answerOf(model);
    expect(vllm.asked[0]!.body).toMatchObject({ model: name });
  });

  it('carries every field of a request', async () => {
    const base = await serverOf().load(baseDirectory, null);
    const schema = { type: 'object', properties: { city: { type: 'string' } } };
    await answerOf(base, {
      ...{ maxTokens: null, temperature: 0.7, topP: 0.9, topK: 20, stop: ['END'], seed: 7 },
      ...{ frequencyPenalty: 0.5, presencePenalty: -0.5, logprobs: { top: 2 } },
      tools: [{ name: 'find', parameters: schema }],
      toolChoice: { name: 'find' },
      format: { type: 'json_schema', schema },
      input: {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Where?' },
          { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'find', input: '{"city":"Ghent"}' }] },
          { role: 'tool', content: 'there', toolCallId: 'c1' },
        ],
      },
    });
    expect(vllm.asked[0]!.body).toMatchObject({
      ...{ max_tokens: null, temperature: 0.7, top_p: 0.9, top_k: 20, stop: ['END'], seed: 7 },
      ...{ frequency_penalty: 0.5, presence_penalty: -0.5, logprobs: true, top_logprobs: 2 },
      tools: [{ type: 'function', function: { name: 'find', parameters: schema } }],
      tool_choice: { type: 'function', function: { name: 'find' } },
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Where?' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{"city":"Ghent"}' } }],
        },
        { role: 'tool', content: 'there', tool_call_id: 'c1' },
      ],
    });
  });

  it('continues texts on /completions, and chats of a base without a template in their training format', async () => {
    const base = await serverOf({}, { hasChatTemplate: false }).load(baseDirectory, null);
    const top = { tokens: ['In'], token_logprobs: [-0.5], top_logprobs: [{ In: -0.5, At: -1.5 }] };
    vllm.script(says('In Ghent', { logprobs: top }));
    const format = { type: 'json_object' } as const;
    const prompt: GenerateRequest = { input: { prompt: 'It is' }, maxTokens: null, logprobs: { top: 2 }, format };
    expect((await answerOf(base, prompt))[0]).toEqual({
      ...{ type: 'text', text: 'In ' },
      logprobs: [
        {
          ...{ token: 'In', logprob: -0.5, bytes: null },
          top: [
            { token: 'In', logprob: -0.5, bytes: null },
            { token: 'At', logprob: -1.5, bytes: null },
          ],
        },
      ],
    });
    await answerOf(base);
    expect(vllm.asked.map(({ path, body }) => [path, body])).toMatchObject([
      ['/v1/completions', { prompt: 'It is', max_tokens: null, logprobs: 2, response_format: format }],
      ['/v1/completions', { prompt: 'Where is it?\n\n', max_tokens: 16 }],
    ]);
  });

  it('returns log probabilities, tool calls, stop sequences and cached tokens as other engines do', async () => {
    const base = await serverOf().load(baseDirectory, null);
    const call = (fields: object) => ({ tool_calls: [{ index: 0, ...fields }] });
    const details = { prompt_tokens_details: { cached_tokens: 4 } };
    vllm.script(
      says('', {
        deltas: [
          call({ id: 'c1', type: 'function', function: { name: 'find', arguments: '{"a"' } }),
          call({ function: { arguments: ':1}' } }),
        ],
        finish: 'tool_calls',
        usage: { prompt_tokens: 9, completion_tokens: 2, ...details },
      }),
      says('no', {
        stopped: 'END',
        logprobs: {
          content: [
            {
              token: 'no',
              logprob: -1,
              bytes: [110, 111],
              top_logprobs: [{ token: 'no', logprob: -1, bytes: [110, 111] }],
            },
          ],
        },
      }),
      says('cut', { finish: 'length' }),
    );
    expect(await answerOf(base)).toEqual([
      { type: 'tool-call', id: 'c1', name: 'find', input: '{"a":1}' },
      { type: 'end', reason: 'tool_calls', inputTokens: 9, outputTokens: 2 },
    ]);
    const token = { token: 'no', logprob: -1, bytes: [110, 111] };
    expect(await answerOf(base)).toEqual([
      { type: 'text', text: 'no', logprobs: [{ ...token, top: [token] }] },
      { ...END, reason: 'stop_sequence', stopSequence: 'END' },
    ]);
    expect((await answerOf(base)).at(-1)).toEqual({ ...END, reason: 'length' });
  });

  it('answers up to the end of the context window if more tokens were requested', async () => {
    const base = await serverOf().load(baseDirectory, null);
    const beyond =
      "You passed 60 input tokens and requested 16 output tokens. However, the model's context length is only 64 tokens, " +
      'resulting in a maximum input length of 48 tokens. Please reduce the length of the input prompt.';
    vllm.script(refuses(400, beyond, 'input_tokens'), says('short'));
    expect((await answerOf(base))[0]).toEqual({ type: 'text', text: 'short' });
    expect(vllm.asked.map(({ body }) => (body as { max_tokens: number | null }).max_tokens)).toEqual([16, null]);
    vllm.script(refuses(400, beyond, 'input_tokens'));
    await expect(answerOf(base)).rejects.toThrow(
      expect.objectContaining({ name: 'RefusedGenerationError', field: 'input' }),
    );
  });

  it('names the field when the server refuses', async () => {
    const base = await serverOf().load(baseDirectory, null);
    vllm.script(
      refuses(400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
      refuses(400, 'Invalid grammar specification.'),
      refuses(400, 'must be non-negative', 'top_logprobs'),
    );
    for (const field of ['tools', 'format', 'logprobs']) {
      const refused = answerOf(base);
      await expect(refused).rejects.toThrow(RefusedGenerationError);
      await expect(refused).rejects.toMatchObject({ field });
    }
  });

  it('closes the connection when the caller leaves or aborts', async () => {
    const base = await serverOf().load(baseDirectory, null);
    vllm.script(begins('In', 'hang'));
    for await (const chunk of base.generate(CHAT, never)) {
      expect(chunk).toEqual({ type: 'text', text: 'In' });
      break;
    }
    await vllm.asked[0]!.left;
    const gone = new AbortController();
    const answer = base.generate(CHAT, gone.signal)[Symbol.asyncIterator]();
    await answer.next();
    gone.abort(new Error('the client has left'));
    await expect(answer.next()).rejects.toThrow('the client has left');
    await vllm.asked[1]!.left;
  });

  it('unloads the least recently used adapter to make room, and loads it again when it is called', async () => {
    const server = serverOf();
    const [a, b, c] = [await adapter('a'), await adapter('b'), await adapter('c')];
    const first = await server.load(baseDirectory, a);
    const second = await server.load(baseDirectory, b);
    const [nameA, nameB] = namesThere();
    await answerOf(first);
    await server.load(baseDirectory, c);
    expect(vllm.changes).toContain(`unload ${nameB}`);
    expect(namesThere()).toHaveLength(2);
    await answerOf(second);
    expect(vllm.changes.slice(-2)).toEqual([`unload ${nameA}`, `load ${nameB}`]);
  });

  it('keeps an adapter that a call uses beyond the limit, until the call has ended', async () => {
    const server = serverOf({ max_loras: 1 });
    const first = await server.load(baseDirectory, await adapter('a'));
    const [nameA] = namesThere();
    vllm.script(begins('In', 'hang'), says('there'));
    const running = first.generate(CHAT, never)[Symbol.asyncIterator]();
    await running.next();
    const second = await server.load(baseDirectory, await adapter('b'));
    expect(await answerOf(second)).toContainEqual(END);
    expect(vllm.changes).not.toContain(`unload ${nameA}`);
    await running.return!();
    await eventually(() => namesThere().length === 1);
  });

  it('gets an adapter again once for all calls after its restart, and answers them', async () => {
    const model = await serverOf().load(baseDirectory, await adapter('orders'));
    vllm.restart();
    const answers = await Promise.all(Array.from({ length: 4 }, () => answerOf(model)));
    for (const answer of answers) expect(answer.at(-1)).toEqual(END);
    expect(vllm.changes.filter((change) => change.startsWith('load'))).toHaveLength(2);
  });

  it('is cleared of leftovers of an earlier process of the runner, and keeps those of another runner', async () => {
    const [mine, other] = [serverOf(), serverOf({}, { runner: 'gpu.2' })];
    const orders = await adapter('orders');
    await mine.load(baseDirectory, orders);
    await other.load(baseDirectory, orders);
    const [left, kept] = [...vllm.adapters];
    await serverOf().load(baseDirectory, null);
    expect(namesThere()).toEqual([kept![0]]);
    const here = (path: string) => stat(path.replace('/served', join(folder, 'shared')));
    await expect(here(left![1])).rejects.toMatchObject({ code: 'ENOENT' });
    expect((await here(kept![1])).isDirectory()).toBe(true);
  });

  it('distinguishes adapters of the same content in two folders, and one folder loaded twice', async () => {
    const server = serverOf({ max_loras: 4 });
    const orders = await adapter('orders');
    await server.load(baseDirectory, orders);
    await server.load(baseDirectory, orders);
    await server.load(baseDirectory, await adapter('again'));
    expect(new Set(namesThere()).size).toBe(3);
  });

  it('unloads a closed adapter and removes its files, after its last call', async () => {
    const model = await serverOf().load(baseDirectory, await adapter('orders'));
    const [[, path] = ['', '']] = [...vllm.adapters];
    vllm.script(begins('In', 'hang'));
    const running = model.generate(CHAT, never)[Symbol.asyncIterator]();
    await running.next();
    await model.close();
    expect(namesThere()).toHaveLength(1);
    await running.return!();
    await eventually(() => namesThere().length === 0);
    await expect(stat(path.replace('/served', join(folder, 'shared')))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(answerOf(model)).rejects.toThrow(EngineUnavailableError);
  });

  it.each([
    ['that was trained on other files of the base', { sha256: 'f'.repeat(64) }, 'trained on other files of ada/tiny'],
    [
      'of a rank that the server does not load',
      { r: 32 },
      'has rank 32, and the server that generates with ada/tiny loads ranks of up to 16',
    ],
  ])('refuses an adapter %s', async (_, facts, message) => {
    const loading = serverOf().load(baseDirectory, await adapter('orders', facts));
    await expect(loading).rejects.toThrow(ArtifactError);
    await expect(loading).rejects.toThrow(message);
    expect(namesThere()).toEqual([]);
  });

  it('without the LoRA routes is reported as unable to load, and the operator is told which setting to switch on', async () => {
    vllm.takesAdapters = false;
    const server = serverOf();
    await expect(server.load(baseDirectory, await adapter('orders'))).rejects.toThrow(
      new EngineUnavailableError("The server that generates with this model cannot load the model's adapter"),
    );
    expect(logLines()).toContain('VLLM_ALLOW_RUNTIME_LORA_UPDATING=True');
  });

  it('loads again after a failed load, once the server sees the folder', async () => {
    const server = serverOf({ server_adapters_dir: '/elsewhere' });
    await expect(server.load(baseDirectory, await adapter('orders'))).rejects.toThrow(EngineUnavailableError);
    expect(logLines()).toContain('No adapter found for /elsewhere/');
    expect(await readdir(join(folder, 'shared', (await readdir(join(folder, 'shared')))[0]!))).toEqual([]);
    expect(await serverOf().load(baseDirectory, join(folder, 'orders'))).toBeDefined();
  });

  it.each([
    ['lacks the model', { model: 'other' }, 'serves no model other; it has tiny'],
    ['refuses the key', { api_key_env: 'OTHER_KEY' }, 'status 401'],
  ])('is unavailable while the server %s', async (_, fields, line) => {
    const [settings] = checkServers(
      {
        servers: {
          rack: {
            base: BASE,
            model: 'tiny',
            base_url: vllm.url,
            adapters_dir: folder,
            api_key_env: 'VLLM_KEY',
            ...fields,
          },
        },
      },
      { VLLM_KEY: KEY, OTHER_KEY: 'other-secret' },
    );
    const connection = connectionOf(settings!, { VLLM_KEY: KEY, OTHER_KEY: 'other-secret' });
    const server = new VllmServer({ settings: settings!, connection, hasChatTemplate: true, runner: 'gpu.1' });
    opened.push(server);
    await expect(server.load(baseDirectory, null)).rejects.toThrow(EngineUnavailableError);
    expect(logLines()).toContain(line);
    expect(logLines()).not.toContain('secret');
  });

  it('is checked for health after a failure, and generates once it is back', async () => {
    const base = await serverOf().load(baseDirectory, null);
    vllm.script(begins('In', 'cut'), refuses(500, `EngineCore encountered an issue with ${KEY}`), says('back'));
    await expect(answerOf(base)).rejects.toThrow(EngineUnavailableError);
    vllm.isHealthy = false;
    await expect(base.ready()).rejects.toThrow('The server that generates with this model is not ready');
    expect(vllm.asked).toHaveLength(1);
    vllm.isHealthy = true;
    await expect(answerOf(base)).rejects.toThrow(EngineUnavailableError);
    expect(await answerOf(base)).toEqual([{ type: 'text', text: 'back' }, END]);
    expect(vllm.paths.filter((path) => path === '/health')).toHaveLength(3);
    expect(logLines()).not.toContain(KEY);
  });

  it('ends a call at the deadlines of the file', async () => {
    const base = await serverOf({ first_byte_timeout_ms: 50 }).load(baseDirectory, null);
    vllm.script(() => undefined);
    await expect(answerOf(base)).rejects.toThrow('The server that generates with this model did not answer in time');
    await vllm.asked[0]!.left;
  });

  it.each([
    ['counts no tokens', says('free', { usage: null }), 'did not count the tokens'],
    ['parses reasoning', says('', { deltas: [{ reasoning: 'Hm' }] }), 'start it without a parser of reasoning'],
  ])('is not used if it %s', async (_, act, line) => {
    const base = await serverOf().load(baseDirectory, null);
    vllm.script(act);
    await expect(answerOf(base)).rejects.toThrow(EngineUnavailableError);
    expect(logLines()).toContain(line);
  });
});
