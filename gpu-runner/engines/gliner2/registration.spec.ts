import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importGliner } from '#test/gliner/tiny.js';
import { filesOf, writeGliner2 } from '#test/gliner2/tiny.js';
import type { RegisteredEngine } from '../registered-engine.js';
import { gliner2Engine } from './registration.js';

describe('the engine of imported GLiNER2 models', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gliner2-'));
    await writeGliner2(join(folder, 'source'), 'lstm');
    await importGliner(join(folder, 'source'), 'ada/gliner2', join(folder, 'models'));
    const encoder = JSON.parse(String((await filesOf('lstm'))['encoder_config/config.json'])) as object;
    const other = JSON.stringify({ ...encoder, model_type: 'bert' });
    await writeGliner2(join(folder, 'other'), 'lstm', { 'encoder_config/config.json': other });
    await importGliner(join(folder, 'other'), 'ada/other', join(folder, 'models'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('has the models that it runs and no other engine has', () => {
    const [engine, ...others] = gliner2Engine([join(folder, 'models')], []);
    expect(others).toEqual([]);
    expect(engine).toMatchObject({
      name: 'gliner2',
      trains: false,
      baseModels: [{ id: 'ada/gliner2', maxTokens: 320 }],
    });
    const torch = { ...engine!, name: 'torch' } satisfies RegisteredEngine;
    expect(gliner2Engine([join(folder, 'models')], [torch])).toEqual([]);
    expect(gliner2Engine([join(folder, 'none')], [])).toEqual([]);
  });
});
