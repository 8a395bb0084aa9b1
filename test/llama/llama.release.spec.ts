import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { baseModelSha256 } from '#gpu-runner/contract/engines.js';
import { enginesWith } from '#gpu-runner/engines/engines.js';
import { startLlama } from '#gpu-runner/engines/llama/process.js';
import { TorchServing } from '#gpu-runner/engines/torch/serving.js';
import { importModel } from '#models/imported/index.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { TrainingClient } from '#test/support/training-client.js';
import { run } from '../servers/tools.js';
import { describeWith, torchForTests } from '../torch/environment.js';
import { smolLM2 } from '../torch/smollm2.js';
import { llamaForTests } from './environment.js';

const MODEL = 'smol/lm2';
/** Writes a GGUF file again, in three parts, by the package of llama.cpp. */
const SPLIT = [
  'import sys',
  'from gguf import GGUFReader, GGUFWriter',
  'reader = GGUFReader(sys.argv[1])',
  'parts = -(-len(reader.tensors) // 3)',
  "writer = GGUFWriter(sys.argv[2], reader.fields['general.architecture'].contents(), split_max_tensors=parts)",
  'for name, field in reader.fields.items():',
  "    if name.startswith('GGUF.') or name == 'general.architecture': continue",
  '    [kind, *of] = field.types',
  '    writer.add_key_value(name, field.contents(), kind, of[0] if of else None)',
  'for tensor in reader.tensors:',
  '    writer.add_tensor(tensor.name, tensor.data, raw_dtype=tensor.tensor_type)',
  'writer.write_header_to_file()',
  'writer.write_kv_data_to_file()',
  'writer.write_tensors_to_file()',
  'writer.close()',
].join('\n');
/** In the way of Hermes, short enough for the place of the one in SmolLM2's file. */
const TOOLS_TEMPLATE = [
  "{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}",
  '{% for c in m.tool_calls or [] %}<tool_call>{{ c.function.arguments.items() }}{% endfor %}{% endfor %}',
  "{% if tools %}{{ tools | tojson }}<tool_call>arguments{% endif %}{{ '<|im_start|>assistant\\n' }}",
].join('');
/** A GGUF file with another chat template, filled up with blanks. */
function withTemplate(file: Buffer, template: string): Buffer {
  const at = file.indexOf('tokenizer.chat_template') + 'tokenizer.chat_template'.length + 4;
  const length = Number(file.readBigUInt64LE(at));
  if (template.length > length) throw new Error(`a template of ${template.length} has ${length} bytes of room`);
  file.write(template.padEnd(length), at + 8);
  return file;
}

interface Logprob {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: readonly number[] | null;
  readonly top_logprobs: readonly Logprob[];
}
const needed = async () => ({ llama: await llamaForTests(), smollm2: await smolLM2('python3') });

await describeWith('a GGUF file served by the llama engine', needed, ({ llama, smollm2 }) => {
  let api: TestApi;
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-llama-'));
    const modelsDir = join(directory, 'models');
    await Array.fromAsync(importModel(smollm2, { id: MODEL, licence: 'Apache-2.0' }, modelsDir));
    api = await startTestApi({ modelsDir }, { engines: enginesWith([modelsDir], [llama.enginesDir]) });
  });
  afterAll(async () => {
    await api.close();
    await rm(directory, { recursive: true });
  });

  const ask = (more: object = {}) =>
    api.call('POST', '/v1/chat/completions', {
      ...{ model: MODEL, messages: [{ role: 'user', content: 'What is the capital of France?' }], max_tokens: 16 },
      ...more,
    });

  it('is listed as a decoder that cannot be trained without the torch engine', async () => {
    const { body } = await api.call('GET', '/base-models?task_type=decoder');
    expect(body.models).toMatchObject([{ id: MODEL, supports_training: false, context_window: 8192 }]);
  });

  it('answers by its chat template, whole and streamed', async () => {
    // The words depend on the kernels for this processor: a model of this size often has two that are nearly as likely.
    const { status, body } = await ask({ max_tokens: 3 });
    expect([status, body.choices[0]]).toMatchObject([
      200,
      { message: { content: expect.stringMatching(/\w/) }, finish_reason: 'length' },
    ]);
    expect(body.usage).toMatchObject({ prompt_tokens: 37, completion_tokens: 3 });
    const { body: text } = await ask({ stream: true, max_tokens: 3 });
    expect(text).toContain('"finish_reason":"length"');
  });

  it('stops at a stop sequence, and gives the same answer for the same seed', async () => {
    const answer: string = (await ask()).body.choices[0].message.content;
    const stop = answer.slice(-3);
    const { message, finish_reason } = (await ask({ stop: [stop] })).body.choices[0];
    expect([message.content, finish_reason]).toEqual([answer.slice(0, answer.indexOf(stop)), 'stop']);
    const prompt = { model: MODEL, prompt: 'Once upon a time', max_tokens: 8, temperature: 1, seed: 7 };
    const [first, second] = [
      await api.call('POST', '/v1/completions', prompt),
      await api.call('POST', '/v1/completions', prompt),
    ];
    expect(first.body.choices[0].text).not.toBe('');
    expect(second.body.choices[0].text).toBe(first.body.choices[0].text);
  });

  it('answers with a JSON object on request', async () => {
    const messages = [{ role: 'user', content: 'Reply with JSON that has city and country of the Eiffel tower.' }];
    const { body } = await ask({ messages, response_format: { type: 'json_object' }, max_tokens: 64 });
    expect(JSON.parse(body.choices[0].message.content)).toEqual(expect.any(Object));
  });

  it('answers with JSON of a schema, whatever the model would rather say, and refuses what it cannot hold it to', async () => {
    const schema = {
      type: 'object',
      properties: {
        city: { enum: ['Paris', 'Gent', 'Lima "La"'] },
        people: { type: 'integer' },
        tags: { type: 'array', items: { type: 'string', maxLength: 6 }, maxItems: 2 },
        mayor: { type: 'object', properties: { name: { type: ['string', 'null'], maxLength: 4 } }, required: ['name'] },
        note: { type: 'string', maxLength: 3 },
      },
      required: ['city', 'people', 'tags', 'mayor'],
      additionalProperties: false,
    };
    const held = (of: object, seed = 1) =>
      ask({
        response_format: { type: 'json_schema', json_schema: { name: 'place', schema: of } },
        ...{ temperature: 1.5, seed, max_tokens: 200 },
      });
    for (const seed of [1, 2, 3, 4]) {
      const { choices } = (await held(schema, seed)).body;
      expect(choices[0].finish_reason).toBe('stop');
      const { city, people, tags, mayor, note, ...others } = JSON.parse(choices[0].message.content);
      expect(['Paris', 'Gent', 'Lima "La"']).toContain(city);
      expect([Number.isInteger(people), tags.length <= 2, others]).toEqual([true, true, {}]);
      for (const tag of tags) expect([...tag].length).toBeLessThanOrEqual(6);
      expect(mayor).toEqual({ name: mayor.name === null ? null : expect.any(String) });
      if (note !== undefined) expect([...note].length).toBeLessThanOrEqual(3);
    }
    const { status, body } = await held({ type: 'object', properties: { a: { type: 'string', pattern: 'x' } } });
    expect([status, body.error.message]).toEqual([422, expect.stringContaining('`pattern` at $.properties.a')]);
  });

  it('tells log probabilities by its own logits, whatever shapes the choice, without another answer', async () => {
    const plain = await ask({ max_tokens: 4 });
    const told = await ask({ max_tokens: 4, logprobs: true, top_logprobs: 3 });
    const { message, logprobs } = told.body.choices[0];
    expect(message).toEqual(plain.body.choices[0].message);
    const entries = logprobs.content as readonly Logprob[];
    expect(entries.map(({ token }) => token).join('')).toBe(message.content);
    for (const { token, logprob, bytes, top_logprobs: top } of entries) {
      expect([top.length, Buffer.from(bytes!).toString()]).toEqual([3, token]);
      // Greedy: the likeliest one is chosen.
      expect(logprob).toBe(Math.max(...top.map((other) => other.logprob)));
      expect(top.reduce((sum, other) => sum + Math.exp(other.logprob), 0)).toBeLessThanOrEqual(1 + 1e-6);
    }
    const shaped = { temperature: 1.5, top_p: 0.5, seed: 3, frequency_penalty: 1, max_tokens: 4 };
    const [again, toldAgain] = [await ask(shaped), await ask({ ...shaped, logprobs: true, top_logprobs: 3 })];
    const { message: sampled, logprobs: own } = toldAgain.body.choices[0];
    expect(sampled).toEqual(again.body.choices[0].message);
    expect(own.content[0].top_logprobs).toEqual(entries[0]!.top_logprobs);
    // Held to a schema, a model says what it finds unlikely.
    const response_format = { type: 'json_schema', json_schema: { name: 'one', schema: { enum: ['Qxz'] } } };
    const { choices } = (await ask({ response_format, logprobs: true })).body;
    expect(choices[0].message.content).toBe('"Qxz"');
    expect(choices[0].logprobs.content[0].logprob).toBeLessThan(-3);
  });

  it('refuses unsupported fields by name, and prompts beyond its window', async () => {
    const tools = [{ type: 'function', function: { name: 'weather', parameters: {} } }];
    expect((await ask({ tools })).body.error).toMatchObject({ param: 'tools' });
    const long = await ask({ messages: [{ role: 'user', content: 'x '.repeat(9_000) }] });
    expect([long.status, long.body.error.message]).toEqual([
      400,
      expect.stringContaining('maximum context length is 8192 tokens'),
    ]);
  });

  it('loads adapters: one without effect, and one with', async () => {
    const baseDirectory = join(directory, 'models', 'smol--lm2');
    const serving = new TorchServing(startLlama(llama.folder, ''), 'llama');
    const answers = [];
    for (const weight of [0, 0.5]) {
      const adapter = join(directory, `adapter-${weight}`);
      await writeAdapter(adapter, await baseModelSha256(baseDirectory), weight);
      const model = await serving.decoder(baseDirectory, adapter);
      const messages = [{ role: 'user' as const, content: 'What is the capital of France?' }];
      const chunks = model.generate({ input: { messages }, maxTokens: 8 }, new AbortController().signal);
      const texts = (await Array.fromAsync(chunks)).flatMap((chunk) => (chunk.type === 'text' ? [chunk.text] : []));
      answers.push(texts.join(''));
      await model.close();
    }
    await serving.close();
    const { content } = (await ask({ max_tokens: 8 })).body.choices[0].message;
    expect(answers[0]).toBe(content);
    expect(answers[1]).not.toBe(answers[0]);
  });
});

await describeWith('a GGUF file whose chat template has tools', needed, ({ llama, smollm2 }) => {
  let api: TestApi;
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-llama-tools-'));
    const [source, modelsDir] = [join(directory, 'source'), join(directory, 'models')];
    await mkdir(source);
    const [file] = await readdir(smollm2);
    await writeFile(join(source, 'tools.gguf'), withTemplate(await readFile(join(smollm2, file!)), TOOLS_TEMPLATE));
    await Array.fromAsync(importModel(source, { id: MODEL, licence: 'Apache-2.0' }, modelsDir));
    api = await startTestApi({ modelsDir }, { engines: enginesWith([modelsDir], [llama.enginesDir]) });
  });
  afterAll(async () => {
    await api.close();
    await rm(directory, { recursive: true });
  });

  const parameters = {
    type: 'object',
    properties: { city: { $ref: '#/$defs/city' }, days: { type: 'integer' } },
    required: ['city'],
    additionalProperties: false,
    $defs: { city: { enum: ['Oslo', 'Lima'] } },
  };
  const tools = ['weather', 'tides'].map((name) => ({ type: 'function', function: { name, parameters } }));
  const question = { role: 'user', content: 'How is the weather in Oslo?' };
  const ask = (more: object) =>
    api.call('POST', '/v1/chat/completions', {
      ...{ model: MODEL, messages: [question], tools, max_tokens: 120, temperature: 1.5, seed: 1, ...more },
    });

  it('calls a tool that it must, with arguments of its schema', async () => {
    for (const [tool_choice, names] of [
      ['required', ['weather', 'tides']],
      [{ type: 'function', function: { name: 'tides' } }, ['tides']],
    ] as const) {
      const { status, body } = await ask({ tool_choice });
      expect([status, body.choices?.[0]]).toMatchObject([200, { finish_reason: 'tool_calls' }]);
      const [call, ...others] = body.choices[0].message.tool_calls;
      expect([others, names]).toEqual([[], expect.arrayContaining([call.function.name])]);
      const { city, ...more } = JSON.parse(call.function.arguments);
      expect(['Oslo', 'Lima']).toContain(city);
      expect(Object.keys(more).filter((name) => name !== 'days')).toEqual([]);
    }
  });

  it('is shown its tools, its earlier calls and their results', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city": "Oslo"}' } };
    const messages = [question, { role: 'assistant', content: null, tool_calls: [call] }];
    const result = { role: 'tool', tool_call_id: 'call_1', content: 'Rain' };
    const tokens = async (more: object) => (await ask({ max_tokens: 1, ...more })).body.usage.prompt_tokens;
    const [bare, shown] = [await tokens({ tool_choice: 'none' }), await tokens({})];
    expect(shown).toBeGreaterThan(bare);
    const before = await tokens({ messages: [...messages, result] });
    const longer = { ...call, function: { ...call.function, arguments: '{"city": "Oslo", "days": 3}' } };
    const after = await tokens({ messages: [question, { ...messages[1], tool_calls: [longer] }, result] });
    expect([before > shown, after > before]).toEqual([true, true]);
  });

  it('refuses by its name a call that no grammar holds to the schema', async () => {
    const own = { name: 'mail', parameters: { properties: { to: { type: 'string', format: 'email' } } } };
    const { status, body } = await ask({ tools: [{ type: 'function', function: own }], tool_choice: 'required' });
    expect([status, body.error]).toMatchObject([
      422,
      { param: 'tools', message: expect.stringContaining('`format` at') },
    ]);
  });
});

const neededToSplit = async () => {
  const torch = await torchForTests();
  return { llama: await llamaForTests(), torch, smollm2: await smolLM2(torch.python) };
};

await describeWith('a GGUF file in parts', neededToSplit, ({ llama, torch, smollm2 }) => {
  let api: TestApi;
  let directory: string;
  let parts: readonly string[];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-parts-'));
    const [split, modelsDir] = [join(directory, 'split'), join(directory, 'models')];
    await mkdir(split);
    const [file] = await readdir(smollm2);
    await run(torch.python, ['-c', SPLIT, join(smollm2, file!), join(split, 'small.gguf')]);
    parts = (await readdir(split)).toSorted();
    await Array.fromAsync(importModel(split, { id: MODEL, licence: 'Apache-2.0' }, modelsDir));
    const engines = enginesWith([modelsDir], [llama.enginesDir, torch.enginesDir]);
    api = await startTestApi({ modelsDir }, { engines });
  });
  afterAll(async () => {
    await api?.close();
    await rm(directory, { recursive: true });
  });

  it('is served by the llama engine from its parts, and no engine offers to train it', async () => {
    expect(parts).toEqual(['small-00001-of-00003.gguf', 'small-00002-of-00003.gguf', 'small-00003-of-00003.gguf']);
    const { body: base } = await api.call('GET', '/base-models?task_type=decoder');
    expect(base.models).toMatchObject([{ id: MODEL, supports_training: false, context_window: 8192 }]);
    const messages = [{ role: 'user', content: 'What is the capital of France?' }];
    // A busy machine may load longer than a call waits.
    const { status, body } = await api.until(
      () => api.call('POST', '/v1/chat/completions', { model: MODEL, messages, max_tokens: 3 }),
      (answer) => answer.status !== 425,
    );
    expect([status, body.choices?.[0]]).toMatchObject([200, { message: { content: expect.stringMatching(/\w/) } }]);
    expect(body.usage).toMatchObject({ prompt_tokens: 37, completion_tokens: 3 });
  });
});

await describeWith(
  'a GGUF file that torch trains and the llama engine serves',
  neededToSplit,
  ({ llama, torch, smollm2 }) => {
    let api: TestApi;
    let directory: string;

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'anneal-both-'));
      const modelsDir = join(directory, 'models');
      await Array.fromAsync(importModel(smollm2, { id: MODEL, licence: 'Apache-2.0' }, modelsDir));
      const engines = enginesWith([modelsDir], [llama.enginesDir, torch.enginesDir]);
      api = await startTestApi({ modelsDir }, { engines });
    });
    afterAll(async () => {
      await api?.close();
      await rm(directory, { recursive: true });
    });

    it('answers each call by the engine that can, and names it; an evaluation is answered as calls are', async () => {
      const content = 'What is the capital of France?';
      const ask = async (more: object) => {
        const body = { model: MODEL, messages: [{ role: 'user', content }], max_tokens: 8, ...more };
        // torch may load longer than a call waits.
        const answer = await api.until(
          () => api.call('POST', '/v1/chat/completions', body),
          ({ status }) => status !== 425,
        );
        await api.drained();
        const { body: history } = await api.call('GET', '/inferences?limit=1');
        const { body: call } = await api.call('GET', `/inferences/${history.inferences[0].id}/lineage`);
        return { answer: answer.body.choices[0], engine: call.model.engine.name };
      };
      const plain = await ask({});
      expect(plain.engine).toBe('llama');
      const told = { logprobs: true, top_logprobs: 1, max_tokens: 2 };
      const schema = { type: 'string', pattern: 'x' };
      const [own, other] = [
        await ask(told),
        await ask({ ...told, response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } }),
      ];
      expect([own.engine, other.engine]).toEqual(['llama', 'torch']);
      for (const { answer } of [own, other]) expect(answer.logprobs.content[0].top_logprobs).toHaveLength(1);

      const row = {
        messages: [
          { role: 'user', content },
          { role: 'assistant', content: plain.answer.message.content },
        ],
      };
      const upload = { dataset_name: 'capitals', dataset_type: 'decoder', filename: 'a.jsonl' };
      await uploadDataset(api, upload, JSON.stringify(row));
      const evaluation = await new TrainingClient(api).evaluate({
        ...{ base_model: MODEL, dataset_name: 'capitals', max_answer_tokens: 8 },
      });
      expect(evaluation).toMatchObject({ exact_match: 1, engine: { name: 'llama' }, progress_percent: 100 });
      expect(evaluation.metrics!.generation!.perplexity!.value).toBeGreaterThan(1);
    }, 600_000);
  },
);

/** An adapter of rank 1 on the first layer of SmolLM2-135M. @param weight of each number in its second matrices */
async function writeAdapter(directory: string, sha256: string, weight: number): Promise<void> {
  const sizes = {
    'self_attn.q_proj': [576, 576],
    'self_attn.k_proj': [576, 192],
    'mlp.down_proj': [1536, 576],
  } as const;
  const header: Record<string, object> = {};
  const numbers: Buffer[] = [];
  let at = 0;
  for (const [layer, [inputs, outputs]] of Object.entries(sizes))
    for (const [side, shape, value] of [
      ['A', [1, inputs], 1],
      ['B', [outputs, 1], weight],
    ] as const) {
      const content = Buffer.from(new Float32Array(shape[0] * shape[1]).fill(value).buffer);
      const name = `base_model.model.model.layers.0.${layer}.lora_${side}.weight`;
      header[name] = { dtype: 'F32', shape, data_offsets: [at, (at += content.length)] };
      numbers.push(content);
    }
  const json = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  await mkdir(directory);
  await writeFile(join(directory, 'adapter_model.safetensors'), Buffer.concat([length, json, ...numbers]));
  await writeFile(join(directory, 'adapter_config.json'), '{"lora_alpha": 1, "r": 1}');
  await writeFile(join(directory, 'anneal.json'), JSON.stringify({ base: { sha256 } }));
}
