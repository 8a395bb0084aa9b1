import { mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TrainedTexts } from './trained-texts.js';

const rows = (...texts: readonly string[]) => texts.map((text) => ({ text }));
const learned = rows('Where is my order?', 'caf\u00e9', 'Where is my order?');

describe('the texts that a model was trained on', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'trained-texts-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('are recognised despite other white space and composition of letters', () => {
    const texts = TrainedTexts.of(learned, null)!;
    expect(texts.count(rows(' Where  is my\norder? ', 'cafe\u0301', 'where is my order?', 'tea'))).toBe(2);
    expect(texts.count(rows('tea', 'tea'))).toBe(0);
    expect(TrainedTexts.of([], null)!.count(learned)).toBe(0);
  });

  it('include those of the model that it started from', () => {
    const both = TrainedTexts.of(rows('tea'), TrainedTexts.of(learned, null))!;
    expect(both.count(rows('tea', 'caf\u00e9', 'coffee'))).toBe(2);
  });

  it('are stored with the weights, 8 bytes each', async () => {
    expect(await TrainedTexts.read(directory)).toBeNull();
    await TrainedTexts.of(learned, null)!.write(directory);
    expect((await TrainedTexts.read(directory))!.count([...learned, ...rows('tea')])).toBe(3);
    await truncate(join(directory, 'trained_texts.bin'), 13);
    expect(await TrainedTexts.read(directory)).toBeNull();
  });
});
