import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Example } from '../../engine.js';
import { readAdapterArtifact } from '../artifact/index.js';
import { loadBase, type LoadedBase } from '../inference/index.js';
import { writeTinyBase } from '../inference/tiny-base.fixture.js';
import { resolveSettings } from '../settings.js';
import { groupEncoder } from '../text-encoder.fixture.js';
import { train } from './train.js';

const spanOf = (text: string, value: string, label: string) => {
  const start = text.indexOf(value);
  return { start, end: start + value.length, label };
};
/** The encoder of the fixture lacks Chinese characters. */
const chinese = ['北京', '上海', '广州', '成都', '南京', '天津'].flatMap((city): Example[] => [
  { text: `他住在${city}市`, entities: [spanOf(`他住在${city}市`, city, 'city')], labels: ['lives'] },
  { text: `他喜欢${city}的菜`, entities: [spanOf(`他喜欢${city}的菜`, city, 'city')], labels: ['likes'] },
]);
const english = ['Paris', 'Rome', 'Oslo', 'Lima', 'Berlin', 'Madrid'].flatMap((city): Example[] => [
  { text: `he lives in ${city}`, entities: [spanOf(`he lives in ${city}`, city, 'city')], labels: ['lives'] },
  { text: `he likes ${city} a lot`, entities: [spanOf(`he likes ${city} a lot`, city, 'city')], labels: ['likes'] },
]);

describe('training on a base whose encoder lacks the script of the rows', () => {
  const folder = mkdtempSync(join(tmpdir(), 'readable-base-'));
  let base: LoadedBase;
  let read: string[];
  let logs: string[];
  let runs = 0;
  beforeAll(() => writeTinyBase(folder));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(() => {
    read = [];
    logs = [];
    const encoder = groupEncoder([['rome', 'paris']], read);
    base = { ...loadBase(folder), encoder, sentences: encoder };
  });

  const facts = { trainingType: 'lora', rows: 12, entityRows: 12, classSizes: [6, 6], multiLabel: false } as const;
  /** @returns the folder of the artifact */
  async function trained(rows: readonly Example[], startFrom: string | null = null): Promise<string> {
    const { artifactDirectory } = await train(
      {
        settings: resolveSettings(facts, { epochs: 2, seed: 5 }),
        train: rows,
        validation: rows.slice(0, 2),
        ...{ baseDirectory: folder, outputDirectory: join(folder, `run-${++runs}`) },
        ...{ startFrom, resumeFrom: null },
      },
      base,
      (report) => report.kind === 'log' && logs.push(report.message),
      new AbortController().signal,
    );
    return artifactDirectory;
  }
  const learnedVectors = (artifact: string) => {
    const { entities, classification } = readAdapterArtifact(artifact, base.reference).heads;
    return [
      Object.keys(entities!.tensors).some((name) => name.startsWith('words')),
      classification!.tensors['vector_weight'] !== undefined,
    ];
  };
  const leftOut = /lacks \d+% of the tokens of the rows: its vectors are left out/;

  it('leaves the vectors out, encodes no row and says so', async () => {
    expect(learnedVectors(await trained(chinese))).toEqual([false, false]);
    expect(read).toEqual([]);
    expect(logs).toContainEqual(expect.stringMatching(leftOut));
  });

  it('learns from the vectors if the encoder knows most tokens of an average row', async () => {
    expect(learnedVectors(await trained([...english, ...chinese]))[0]).toBe(true);
    expect(logs).not.toContainEqual(expect.stringMatching(leftOut));
  });

  it('continues a model with what that learned of vectors, and one without them without', async () => {
    const [withVectors, without] = [await trained(english), await trained(chinese)];
    expect(learnedVectors(await trained(chinese, withVectors))[0]).toBe(true);
    expect(learnedVectors(await trained(chinese, without))).toEqual([false, false]);
  });
});
