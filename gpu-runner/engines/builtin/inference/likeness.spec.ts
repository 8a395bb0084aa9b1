import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drain } from '../../steps.js';
import { LEARNED_TEXTS, SideFile } from '../artifact/index.js';
import { learnTexts } from '../likeness/index.js';
import { learnedTextsOf } from './likeness.js';

describe('the learned texts of a model', () => {
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'learned-'))));
  afterEach(() => rmSync(directory, { recursive: true }));
  const tensors = drain(learnTexts(['where is my parcel', 'where is my card', 'block my card'], null));

  it('are read from beside the weights, which they make larger', () => {
    LEARNED_TEXTS.write(directory, tensors);
    const texts = learnedTextsOf(directory, null)!;
    expect(texts.byteSize).toBeGreaterThan(3 * 256);
    expect(drain(texts.read()!.likenessOf('where is my card', false)).unlike).toBeNull();
  });

  it('are unknown of a model without them, with damaged ones, or with those of another version', () => {
    expect(learnedTextsOf(directory, null)).toBeNull();
    writeFileSync(join(directory, 'learned_texts.safetensors'), 'damaged');
    expect(learnedTextsOf(directory, null)!.read()).toBeNull();
    new SideFile('learned_texts.safetensors', '99').write(directory, tensors);
    expect(learnedTextsOf(directory, null)!.read()).toBeNull();
  });
});
