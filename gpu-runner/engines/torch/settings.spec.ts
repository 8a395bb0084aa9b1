import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PYTHON_PACKAGE } from '#models/installs/torch/index.js';
import { resolveSettings, SETTING_RANGES } from './settings.js';

describe('ranges of settings of the torch engine', () => {
  it('are those that Python accepts', async () => {
    const source = await readFile(join(PYTHON_PACKAGE, 'anneal_runner/training/settings.py'), 'utf8');
    const ranges = new Map(
      Array.from(source.matchAll(/fields\.number\("(\w+)", ([^,)]+), ([^,)]+)/g), ([, name, min, max]) => [
        name,
        [Number(min), Number(max)],
      ]),
    );
    for (const [name, range] of Object.entries(SETTING_RANGES)) expect([name, ranges.get(name)]).toEqual([name, range]);
  });
});

describe('default settings of the torch engine', () => {
  const of = (trainingType: 'lora' | 'full', entityRows: number, classSizes: readonly number[]) => {
    const facts = { trainingType, rows: 60, entityRows, classSizes, multiLabel: false };
    const { learningRate, epochs } = resolveSettings(facts, {});
    return { learningRate, epochs };
  };

  it('are those of language models for rows without labels, and else those of encoders', () => {
    expect(of('lora', 0, [])).toEqual({ learningRate: 2e-4, epochs: 3 });
    expect(of('lora', 60, [])).toEqual({ learningRate: 1e-3, epochs: 10 });
    expect(of('lora', 0, [30, 30])).toEqual({ learningRate: 1e-3, epochs: 10 });
    expect(of('full', 60, [])).toEqual({ learningRate: 5e-5, epochs: 10 });
  });
});
