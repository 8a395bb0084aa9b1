import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importModel } from '#models/imported/index.js';
import { readLlamaLock } from '#models/installs/llama/index.js';
import type { JsonObject } from '#domain/json.js';
import { GENERATION_FEATURES } from '#gpu-runner/contract/generation.js';
import type { GenerateRequest, TakesRequest } from '../decoder-engine.js';
import type { RegisteredEngine } from '../registered-engine.js';
import { withLlama } from './registration.js';

const BASE = 'ada/gguf';
const text = (value: string): Buffer => {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(value.length));
  return Buffer.concat([length, Buffer.from(value)]);
};
const uint32 = (value: number): Buffer => {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
};
/** The head of a GGUF file, without tensors. */
const gguf = (template: string) =>
  Buffer.concat([
    ...[Buffer.from('GGUF'), uint32(3), Buffer.alloc(8), uint32(3), uint32(0)],
    ...[text('general.architecture'), uint32(8), text('llama')],
    ...[text('llama.context_length'), uint32(4), uint32(64)],
    ...[text('tokenizer.chat_template'), uint32(8), text(template)],
  ]);

describe('the llama engine', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'llama-registration-'));
    await mkdir(join(folder, 'source'));
    await imported('hello');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const imported = async (template: string) => {
    await writeFile(join(folder, 'source', 'model.gguf'), gguf(template));
    await rm(join(folder, 'models'), { recursive: true, force: true });
    await Array.fromAsync(importModel(join(folder, 'source'), { id: BASE, licence: null }, join(folder, 'models')));
  };
  const install = async () => {
    const { key: lock } = readLlamaLock();
    await mkdir(join(folder, 'engines', 'llama', lock), { recursive: true });
    const facts = { lock, versions: { 'node-llama-cpp': '3.22.1' }, bytes: 1 };
    await writeFile(join(folder, 'engines', 'llama', lock, 'installed.json'), JSON.stringify(facts));
  };
  const engines = (own: readonly RegisteredEngine[] = []) =>
    withLlama(own, [join(folder, 'engines')], [join(folder, 'models')]);
  const torch: RegisteredEngine = {
    ...{ name: 'torch', version: '1', module: 'file:///torch.js', embedders: [] },
    baseModels: [BASE, 'ada/other'].map((id) => ({
      ...{ id, directory: '/models', maxTokens: 64, heads: [] },
      generation: { hasChatTemplate: false, features: ['logprobs', 'seed'] },
    })),
    resolveSettings: () => {
      throw new Error('nobody trains it');
    },
  };

  it('changes nothing if it is not installed', () => {
    expect(engines([torch])).toEqual([torch]);
  });

  it('serves GGUF files itself, and trains none, if no engine trains them', async () => {
    await install();
    expect(engines()).toMatchObject([
      {
        name: 'llama',
        trains: false,
        baseModels: [{ id: BASE, maxTokens: 64, generation: { hasChatTemplate: true } }],
      },
    ]);
  });

  it('serves GGUF files for the engine that trains them, whose abilities stay', async () => {
    await install();
    const [served, ...others] = engines([torch]);
    expect(others).toEqual([]);
    expect(served).toMatchObject({ name: 'torch', module: torch.module });
    expect([...served!.servers!]).toEqual([
      [
        BASE,
        {
          engine: { name: 'llama', version: expect.any(String) },
          module: expect.stringContaining('/engines/llama/index.js?folder='),
          isRemote: false,
          features: GENERATION_FEATURES.filter((feature) => feature !== 'tools'),
        },
      ],
    ]);
    expect(served!.baseModels).toEqual(torch.baseModels);
  });

  it.each([
    ['{{ tools }} <tool_call> arguments', true],
    ['{{ tools }} {"parameters": 1} <|python_tag|>', true],
    ['{{ tools }} [TOOL_CALLS]', true],
    ['{{ tools }} <tool_call> <function=f> <parameter=p>', false],
    ['{{ tools }} <|channel|>commentary to=functions.', false],
    ['<tool_call> arguments', false],
  ])('calls tools if it reads the calls of the chat template (%j)', async (template, takesTools) => {
    await install();
    await imported(template);
    expect(engines()[0]!.baseModels[0]!.generation!.features.includes('tools')).toBe(takesTools);
  });

  it('takes the requests that it can answer, and leaves the others to that engine', async () => {
    await install();
    await imported('{{ tools }} <tool_call> arguments');
    const [served] = engines([torch]);
    const { module, features } = served!.servers!.get(BASE)!;
    const { takes } = (await import(module)) as { readonly takes: TakesRequest };
    const request = { input: { prompt: 'a' }, maxTokens: 1, topK: 3, seed: 4, logprobs: { top: 0 } };
    const tools = [{ name: 'weather', parameters: { properties: { zip: { type: 'string', pattern: '[0-9]+' } } } }];
    const asking = (schema: JsonObject) => ({ ...request, format: { type: 'json_schema' as const, schema } });
    const taken = (given: GenerateRequest, known = features!) => takes(given, known);
    expect(taken(request)).toBe(true);
    // No grammar holds a call to the pattern; a call that need not be made is read as it is.
    const choices = ['auto', 'none', 'required', { name: 'weather' }] as const;
    expect(choices.map((toolChoice) => taken({ ...request, tools, toolChoice }))).toEqual([true, true, false, false]);
    expect(taken({ ...request, tools }, [])).toBe(false);
    expect([taken(asking({ type: 'string' })), taken(asking({ type: 'string', pattern: 'x' }))]).toEqual([true, false]);
  });
});
