import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importModel } from '#models/imported/index.js';
import { readLlamaLock } from '#models/installs/llama/index.js';
import type { JsonObject } from '#domain/json.js';
import type { TakesRequest } from '../decoder-engine.js';
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
const GGUF = Buffer.concat([
  ...[Buffer.from('GGUF'), uint32(3), Buffer.alloc(8), uint32(2), uint32(0)],
  ...[text('general.architecture'), uint32(8), text('llama')],
  ...[text('llama.context_length'), uint32(4), uint32(64)],
]);

describe('the llama engine', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'llama-registration-'));
    await mkdir(join(folder, 'source'));
    await writeFile(join(folder, 'source', 'model.gguf'), GGUF);
    await Array.fromAsync(importModel(join(folder, 'source'), { id: BASE, licence: null }, join(folder, 'models')));
  });
  afterEach(() => rm(folder, { recursive: true }));

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
        baseModels: [{ id: BASE, maxTokens: 64, generation: { hasChatTemplate: false } }],
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
        },
      ],
    ]);
    expect(served!.baseModels).toEqual(torch.baseModels);
  });

  it('takes the requests that it can answer, and leaves the others to that engine', async () => {
    await install();
    const [served] = engines([torch]);
    const { takes } = (await import(served!.servers!.get(BASE)!.module)) as { readonly takes: TakesRequest };
    const request = { input: { prompt: 'a' }, maxTokens: 1, topK: 3, seed: 4 };
    const tools = [{ name: 'weather', parameters: {} }];
    const asking = (schema: JsonObject) => ({ ...request, format: { type: 'json_schema' as const, schema } });
    expect([request, { ...request, tools, toolChoice: 'none' as const }].map(takes)).toEqual([true, true]);
    expect(
      [
        { ...request, tools },
        { ...request, logprobs: { top: 0 } },
      ].map(takes),
    ).toEqual([false, false]);
    expect([asking({ type: 'string' }), asking({ type: 'string', pattern: 'x' })].map(takes)).toEqual([true, false]);
  });
});
