import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importModel } from '#models/imported/index.js';
import { readLlamaLock } from '#models/installs/llama/index.js';
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

  it('serves GGUF files instead of the engine that trains them, with its own features', async () => {
    await install();
    const [served, ...others] = engines([torch]);
    expect(others).toEqual([]);
    expect(served).toMatchObject({ name: 'torch', module: torch.module });
    expect([...served!.servers!]).toEqual([
      [BASE, { module: expect.stringContaining('/engines/llama/index.js?folder='), isRemote: false }],
    ]);
    const features = served!.baseModels.map(({ generation }) => generation!.features);
    expect(features[0]).not.toContain('logprobs');
    expect(features[1]).toEqual(['logprobs', 'seed']);
  });
});
