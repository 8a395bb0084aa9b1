import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { baseModelSha256 } from './engines.js';
import type { TrainingRequest } from '#domain/training-job/index.js';
import {
  canRun,
  enginesOfRunner,
  isForBeside,
  loose,
  needsOfEvaluation,
  needsOfExport,
  needsOfTraining,
} from './needs.js';

describe('the requirements of an attempt', () => {
  const engine = { name: 'torch', version: '2' };
  const baseModel = { id: 'smol/lm2', sha256: 'a' };
  const request = (rows: number, epochs: number) =>
    ({ engine, baseModel, datasets: [{ rows }], configuration: { epochs } }) as unknown as TrainingRequest;
  const training = needsOfTraining(request(10_000, 3));
  const model = { id: 'smol/lm2', baseModel, adapter: null };
  const evaluation = needsOfEvaluation({ engine, model });
  const runner = (more: { name?: string; version?: string; id?: string; sha256?: string } = {}) => {
    const { name = 'torch', version = '2', id = 'smol/lm2', sha256 = 'a' } = more;
    const others = { name: 'builtin', version: '7', baseModels: [] };
    return [
      others,
      {
        name,
        version,
        baseModels: [
          { id: 'other/base', sha256: 'b' },
          { id, sha256 },
        ],
      },
    ];
  };

  it('say that a training is small if its rows times its epochs are few', () => {
    expect(training).toEqual({ engine, baseModel });
    expect(needsOfTraining(request(1_000, 20))).toEqual({ engine, baseModel, isSmall: true });
    expect(isForBeside(needsOfTraining(request(1_000, 20)), ['torch'])).toBe(true);
    expect(isForBeside(needsOfTraining(request(1_000, 20)), ['builtin'])).toBe(false);
    expect(isForBeside(training, ['torch'])).toBe(false);
  });

  it('of an export are the engine in any version and the base model, and none if the request names none', () => {
    expect(needsOfExport({ engine, baseModel })).toEqual({ engine: { name: 'torch', version: null }, baseModel });
    expect(needsOfExport({})).toBeNull();
  });

  it.each([
    ['has the engine and the base model', {}, [true, true, true]],
    ['lacks the engine', { name: 'packs' }, [false, false, false]],
    ['has the engine in another version, which only evaluations may run on', { version: '3' }, [false, true, true]],
    ['lacks the base model', { id: 'smol/lm3' }, [false, false, false]],
    ['has other files of the base model', { sha256: 'c' }, [false, false, true]],
  ])('are checked against a runner that %s', (_, more, expected) => {
    expect([training, evaluation, loose(training)].map((needs) => canRun(runner(more), needs))).toEqual(expected);
  });

  it('are not met by a base model whose folder is missing', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'anneal-needs-'));
    await writeFile(join(directory, 'config.json'), '{}');
    const baseModels = [
      { id: 'here', directory },
      { id: 'gone', directory: join(directory, 'gone') },
    ];
    const sha256 = await baseModelSha256(directory);
    const unreadable: unknown[] = [];
    expect(await enginesOfRunner([{ ...engine, baseModels }], (error) => unreadable.push(error))).toEqual([
      { ...engine, baseModels: [{ id: 'here', sha256 }] },
    ]);
    expect(unreadable).toMatchObject([{ message: 'the base model gone cannot be read, and no work on it is taken' }]);
    await rm(directory, { recursive: true });
  });
});
