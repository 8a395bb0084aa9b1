import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ArtifactError } from '../../engine.js';
import type { HeadState } from '../head.js';
import {
  readAdapterArtifact,
  readBaseArtifact,
  writeArtifact,
  type AdapterArtifact,
  type BaseArtifact,
} from './artifact.js';
import { TRAINER_VERSION } from './versions.js';

const head: HeadState = {
  config: { labels: ['a', 'b'], temperature: 1.3 },
  tensors: {
    weight: { shape: [2, 2], data: new Float32Array([1, 2, 3, 4]) },
    'a.b': { shape: [1], data: new Int8Array([5]) },
  },
};
const base: BaseArtifact = { kind: 'base', id: 'house/encoder', heads: { entities: head } };
const adapter: AdapterArtifact = {
  kind: 'adapter',
  base: { id: 'house/encoder', sha256: 'ab'.repeat(32) },
  training: { trainingType: 'lora', loraR: 16, loraAlpha: 32, seed: 7 },
  heads: { entities: head, classification: head },
};

describe('artifact', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'artifact-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));
  const edit = (file: string, change: (content: string) => string) =>
    writeFileSync(join(directory, file), change(readFileSync(join(directory, file), 'utf8')));

  it('reads back a base model', () => {
    const sha256 = writeArtifact(directory, base, { card: '# Base\n' });
    expect(readBaseArtifact(directory)).toEqual({ ...base, sha256, byteSize: expect.any(Number) });
    expect(readdirSync(directory).sort()).toEqual(['README.md', 'config.json', 'model.safetensors']);
  });

  it('reads back an adapter', () => {
    const sha256 = writeArtifact(directory, adapter, { metrics: { f1: 0.9 } });
    const loaded = readAdapterArtifact(directory, adapter.base);
    expect(loaded).toEqual({ ...adapter, sha256, byteSize: expect.any(Number) });
    expect(readdirSync(directory).sort()).toEqual(['adapter_config.json', 'adapter_model.safetensors', 'metrics.json']);
  });

  it('writes equal artifacts as equal bytes, whatever the order of keys', () => {
    const other = join(directory, 'other');
    const turned = {
      config: { temperature: 1.3, labels: ['a', 'b'] },
      tensors: Object.fromEntries(Object.entries(head.tensors).reverse()),
    };
    writeArtifact(directory, adapter);
    writeArtifact(other, { ...adapter, heads: { classification: turned, entities: turned } });
    for (const file of ['adapter_config.json', 'adapter_model.safetensors'])
      expect(readFileSync(join(other, file)).equals(readFileSync(join(directory, file)))).toBe(true);
  });

  it('refuses another base model, naming both', () => {
    writeArtifact(directory, adapter);
    const here = { id: 'house/encoder', sha256: 'cd'.repeat(32) };
    expect(() => readAdapterArtifact(directory, here)).toThrow(ArtifactError);
    expect(() => readAdapterArtifact(directory, here)).toThrow(/abab.*cdcd/);
    expect(readAdapterArtifact(directory, null).base).toEqual(adapter.base);
  });

  it('refuses another tagger on the same encoder pack, naming both', () => {
    const on = (tagger: string) => ({
      id: 'house/small',
      sha256: 'ef'.repeat(32),
      tagger: { id: 'house/encoder', sha256: tagger.repeat(32) },
    });
    writeArtifact(directory, { ...adapter, base: on('ab') });
    expect(readAdapterArtifact(directory, on('ab')).base).toEqual(on('ab'));
    expect(() => readAdapterArtifact(directory, on('cd'))).toThrow(/house\/encoder with sha256 abab.*cdcd/);
  });

  it.each(['engine_version', 'feature_version', 'tokenizer_version', 'engine'])('refuses another %s', (key) => {
    writeArtifact(directory, adapter);
    edit('adapter_config.json', (json) => JSON.stringify({ ...JSON.parse(json), [key]: 'other' }));
    expect(() => readAdapterArtifact(directory, adapter.base)).toThrow(new RegExp(`${key} "other"`));
  });

  it.each([
    ['of an earlier trainer', 1],
    ['that names no trainer', undefined],
  ])('reads an adapter %s', (_which, version) => {
    writeArtifact(directory, adapter);
    edit('adapter_config.json', (json) => JSON.stringify({ ...JSON.parse(json), trainer_version: version }));
    expect(readAdapterArtifact(directory, adapter.base)).toMatchObject(adapter);
  });

  it('names the trainer of an adapter, but not of a base model, which no job trains', () => {
    const config = (file: string) => JSON.parse(readFileSync(join(directory, file), 'utf8')) as Record<string, unknown>;
    writeArtifact(directory, adapter);
    expect(config('adapter_config.json')).toMatchObject({ engine_version: '1', trainer_version: TRAINER_VERSION });
    writeArtifact(directory, { kind: 'base', id: 'house/encoder', heads: {} });
    expect(config('config.json')).not.toHaveProperty('trainer_version');
  });

  it('refuses numbers that differ from the saved ones', () => {
    writeArtifact(directory, adapter);
    const path = join(directory, 'adapter_model.safetensors');
    const bytes = readFileSync(path);
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
    writeFileSync(path, bytes);
    expect(() => readAdapterArtifact(directory, adapter.base)).toThrow(/adapter_model.safetensors is not the file/);
  });

  it.each<[string, (json: string) => string]>([
    ['is cut short', (json) => json.slice(0, 40)],
    ['is a list', () => '[]'],
    ['lists no heads', (json) => JSON.stringify({ ...JSON.parse(json), heads: null })],
    ['has a head without a configuration', (json) => JSON.stringify({ ...JSON.parse(json), heads: { entities: 1 } })],
    ['lacks the head of a tensor', (json) => JSON.stringify({ ...JSON.parse(json), heads: { entities: {} } })],
    ['names no base', (json) => JSON.stringify({ ...JSON.parse(json), base_model: 'x' })],
    ['does not say how it was trained', (json) => JSON.stringify({ ...JSON.parse(json), r: 'many' })],
  ])('refuses a configuration that %s', (_what, change) => {
    writeArtifact(directory, adapter);
    edit('adapter_config.json', change);
    expect(() => readAdapterArtifact(directory, adapter.base)).toThrow(ArtifactError);
  });

  it('refuses a folder without a model, and a base in place of an adapter', () => {
    expect(() => readAdapterArtifact(directory, null)).toThrow(/no readable adapter_config.json/);
    writeArtifact(directory, base);
    expect(() => readAdapterArtifact(directory, null)).toThrow(ArtifactError);
  });
});
