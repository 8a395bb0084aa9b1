import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importModel } from '../imported/index.js';
import { writeTinyDecoder } from '../imported/tiny-decoder.fixture.js';
import { writeTinyEncoder } from '../imported/tiny-encoder.fixture.js';
import { SettingsError } from '#settings/index.js';
import { Catalog } from './catalog.js';
import { checkCatalog } from './check.js';
import { openCatalog, readCatalog } from './read.js';
import { VisibleCatalog } from './visible-catalog.js';

const model = {
  id: 'a/b',
  label: 'B',
  description: 'A model.',
  task_type: 'decoder',
  family: 'b',
  context_window: 1000,
  input_price_per_million: 3,
  output_price_per_million: 15,
  supports_inference: true,
  supports_training: false,
  supports_on_demand_inference: false,
};
const catalogOf = (...models: readonly object[]) => new Catalog(checkCatalog({ models }));
const first = (entry: object) => catalogOf({ ...model, ...entry }).entries[0]!;

describe('the catalog that comes with the project', () => {
  it('lists the built-in models; well-known ids resolve to the encoder, but are not listed', () => {
    const catalog = readCatalog();
    expect(catalog.entries.map(({ id }) => id)).toEqual([
      'anneal/encoder-base-v1',
      'anneal/encoder-small-v1',
      'anneal/embedder-base-v1',
      'anneal/embedder-small-v1',
    ]);
    for (const name of ['base', 'large', 'multi', 'multi-large'])
      expect(catalog.resolve(`fastino/gliner2-${name}-v1`)?.id).toBe('anneal/encoder-base-v1');
    expect(catalog.resolve('constructor')).toBeNull();
  });
});

describe('an entry', () => {
  it('has defaults for omitted fields', () => {
    expect(first({})).toMatchObject({
      multilingual: false,
      instruct: true,
      release_month: null,
      deprecated: false,
      hidden: false,
      gated: false,
      rollout: null,
      provider: null,
      blocked_regions: [],
    });
  });

  it.each([
    ['a missing cache price is the input price', {}, 3, 3],
    ['by ratio', { cache_read_multiplier: 0.1, cache_write_multiplier: 1.25 }, 0.3, 3.75],
    ['by price', { cache_read_price_per_million: 0.5, cache_write_price_per_million: 0 }, 0.5, 0],
    ['null is the input price', { cache_read_price_per_million: null, cache_write_multiplier: 1 }, 3, 3],
  ])('has cache prices: %s', (_, given, read, write) => {
    const entry = first(given);
    expect([entry.cache_read_price_per_million, entry.cache_write_price_per_million]).toEqual([read, write]);
    expect(entry).not.toHaveProperty('cache_read_multiplier');
  });
});

describe('ids', () => {
  const catalog = new Catalog(
    checkCatalog({ models: [model, { ...model, id: 'a/c-2025-08-07' }], aliases: { other: 'a/b' } }),
  );
  it.each([
    ['a/b', 'a/b'],
    ['other', 'a/b'],
    ['a/b-2026-11-20', 'a/b'],
    ['a/b-20261120', 'a/b'],
    ['a/b@20261120', 'a/b'],
    ['other-20261120', 'a/b'],
    ['a/c-2025-08-07', 'a/c-2025-08-07'],
    ['a/b-20261320', undefined],
    ['a/b-2026-02-30', undefined],
    ['a/b-2026-1120', undefined],
    ['a/c', undefined],
    ['A/B', undefined],
    ['', undefined],
  ])('%s is %s', (id, resolved) => {
    expect(catalog.resolve(id)?.id).toBe(resolved);
  });
});

describe('a file is refused, naming the model and the field', () => {
  const file = (...models: readonly unknown[]) => ({ models, aliases: {} });
  it.each([
    [
      'a price below zero',
      file({ ...model, input_price_per_million: -1 }),
      /^model "a\/b": input_price_per_million must/,
    ],
    ['a price as text', file({ ...model, output_price_per_million: '1' }), /output_price_per_million/],
    ['a missing flag', file({ ...model, supports_training: undefined }), /supports_training must be true or false/],
    ['an unknown field', file({ ...model, suports_training: true }), /suports_training is no field/],
    ['a bad id', file({ ...model, id: 'a/b/c' }), /^models\[0\]: id/],
    ['no object', file('a/b'), /models\[0\] must be an object/],
    ['an invalid task type', file({ ...model, task_type: 'poet' }), /task_type must be one of encoder/],
    ['an invalid month', file({ ...model, release_month: '2026-13' }), /release_month/],
    ['an invalid region', file({ ...model, blocked_regions: ['north'] }), /blocked_regions/],
    ['a provider without a model', file({ ...model, provider: { name: 'x' } }), /provider must be/],
    [
      'a fallback without a model',
      file({ ...model, provider: { name: 'x', model: 'y', fallbacks: [{ name: 'z' }] } }),
      /provider must be .*"fallbacks"/,
    ],
    [
      'fallbacks of a fallback',
      file({ ...model, provider: { name: 'x', model: 'y', fallbacks: [{ name: 'z', model: 'w', fallbacks: [] }] } }),
      /provider must be/,
    ],
    ['hidden without a rollout', file({ ...model, hidden: true }), /rollout must name/],
    ['gated without a rollout', file({ ...model, gated: true, rollout: null }), /rollout must name/],
    [
      'a cache price given twice',
      file({ ...model, cache_read_price_per_million: 1, cache_read_multiplier: 0.1 }),
      /cache_read_multiplier must be left out/,
    ],
    ['the same id twice', file(model, model), /twice/],
    ['an alias to nowhere', { models: [model], aliases: { x: 'nowhere' } }, /alias "x"/],
    ['an alias that is a model', { models: [model], aliases: { 'a/b': 'a/b' } }, /alias "a\/b"/],
    ['no models', file(), /models/],
    ['a list', [model], /must be an object/],
    ['an unknown field beside the models', { ...file(model), more: 1 }, /more is no field/],
  ])('%s', (_, content, message) => {
    expect(() => checkCatalog(content)).toThrow(message);
  });
});

describe('the catalog at start', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-catalog-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  const open = async (content: string, providers: readonly string[] = []) => {
    const modelCatalog = join(directory, 'models.json');
    await writeFile(modelCatalog, content);
    return openCatalog(
      { modelCatalog, dataDir: directory, modelsDir: null },
      {
        engines: new Map([
          ['a/b', model.context_window],
          ['a/embedder', model.context_window],
          ['ada/tiny', 64],
          ['ada/bert', 64],
        ]),
        trainable: new Set(['a/b', 'ada/bert', 'ada/tiny']),
        providers: new Set(providers),
      },
    );
  };

  describe('with imported models', () => {
    beforeAll(async () => {
      const source = join(directory, 'source');
      await mkdir(source);
      await writeTinyDecoder(source, { contextTokens: 64 });
      for (const id of ['ada/tiny', 'ada/unserved'])
        await Array.fromAsync(importModel(source, { id, licence: 'MIT' }, join(directory, 'models')));
      await writeTinyEncoder(source);
      await Array.fromAsync(importModel(source, { id: 'ada/bert', licence: null }, join(directory, 'models')));
    });
    afterAll(() => rm(join(directory, 'models'), { recursive: true }));

    it('contains those that an engine serves, free of charge', async () => {
      const catalog = await open(JSON.stringify({ models: [model] }));
      expect(catalog.entries.map(({ id }) => id)).toEqual(['a/b', 'ada/bert', 'ada/tiny']);
      expect(catalog.resolve('ada/tiny')).toMatchObject({
        label: 'tiny',
        task_type: 'decoder',
        family: 'llama',
        instruct: true,
        context_window: 64,
        input_price_per_million: 0,
        supports_training: true,
        supports_inference: true,
      });
      expect(catalog.resolve('ada/bert')).toMatchObject({
        ...{ task_type: 'encoder', family: 'bert', context_window: 64 },
        ...{ supports_training: true, supports_inference: false },
      });
    });

    it('prefers them to an alias of their id, if an engine serves them', async () => {
      const aliases = { 'ada/tiny': 'a/b', 'ada/unserved': 'a/b' };
      const catalog = await open(JSON.stringify({ models: [model], aliases }));
      expect(['ada/tiny', 'ada/unserved'].map((id) => catalog.resolve(id)?.id)).toEqual(['ada/tiny', 'a/b']);
    });

    it("prefers the catalog file's own entry", async () => {
      const own = { ...model, id: 'ada/tiny', context_window: 64, input_price_per_million: 3 };
      const catalog = await open(JSON.stringify({ models: [own] }));
      expect(catalog.resolve('ada/tiny')?.input_price_per_million).toBe(3);
      expect(catalog.entries.filter(({ id }) => id === 'ada/tiny')).toHaveLength(1);
    });
  });

  it('contains only models that an engine or a configured provider serves, with their aliases', async () => {
    const hosted = { ...model, id: 'far/away', provider: { name: 'acme', model: 'away-1' } };
    const file = JSON.stringify({
      models: [model, { ...model, id: 'no/engine' }, hosted],
      aliases: { near: 'a/b', away: 'far/away', none: 'no/engine' },
    });
    const without = await open(file);
    expect(without.entries.map(({ id }) => id)).toEqual(['a/b']);
    for (const id of ['far/away', 'away', 'no/engine', 'none']) expect(without.resolve(id)).toBeNull();
    const having = await open(file, ['acme']);
    expect(having.entries.map(({ id }) => id)).toEqual(['a/b', 'far/away']);
    expect(having.resolve('away')?.provider).toEqual({ name: 'acme', model: 'away-1' });
  });

  it('requires the providers of its fallbacks', async () => {
    const provider = { name: 'acme', model: 'm', fallbacks: [{ name: 'other', model: 'n' }] };
    const file = JSON.stringify({ models: [model, { ...model, id: 'far/away', provider }] });
    expect((await open(file)).entries).toHaveLength(1);
    expect((await open(file, ['acme', 'other'])).resolve('far/away')?.provider).toEqual(provider);
    await expect(open(file, ['acme'])).rejects.toThrow(
      /^ANNEAL_MODEL_CATALOG names .*: model "far\/away": provider\.fallbacks\[0\]\.name must be .*"other" is none$/,
    );
  });

  it.each([
    ['that a provider hosts', 'far/away', { name: 'acme', model: 'm' }, 'acme hosts it'],
    ['that a provider hosts under the id of one of ours', 'a/b', { name: 'acme', model: 'm' }, 'acme hosts it'],
    ['whose engine trains nothing', 'a/embedder', null, 'its engine trains nothing'],
  ])('refuses to train a model %s', async (_, id, provider, why) => {
    const opening = (more: object) => open(JSON.stringify({ models: [{ ...model, id, provider, ...more }] }), ['acme']);
    expect((await opening({ supports_training: false })).entries).toHaveLength(1);
    await expect(opening({ supports_training: true })).rejects.toThrow(
      `model "${id}": supports_training must be false, since ${why}; only engines here train models`,
    );
  });

  it("refuses a context window other than the engine's own, and leaves that of a provider's model to the operator", async () => {
    const wide = { ...model, context_window: 1_001 };
    await expect(open(JSON.stringify({ models: [wide] }))).rejects.toThrow(
      'model "a/b": context_window must be 1000, the tokens that its engine reads',
    );
    const hosted = { ...wide, provider: { name: 'acme', model: 'm' }, supports_training: false };
    expect((await open(JSON.stringify({ models: [hosted] }), ['acme'])).resolve('a/b')?.context_window).toBe(1_001);
  });

  it('trains models that a local engine can train, and ignores unserved ones', async () => {
    const unserved = { ...model, id: 'far/away', provider: { name: 'acme', model: 'm' }, supports_training: true };
    const file = JSON.stringify({ models: [{ ...model, supports_training: true }, unserved] });
    expect((await open(file)).entries.map(({ id, supports_training }) => [id, supports_training])).toEqual([
      ['a/b', true],
    ]);
  });

  it.each([
    ['a file that is not JSON', '{"models": ['],
    ['a wrong field', JSON.stringify({ models: [{ ...model, family: 7 }] })],
  ])('reports %s in one line that names the setting and the file', async (_, content) => {
    const error = await open(content).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SettingsError);
    expect((error as Error).message).toMatch(/^ANNEAL_MODEL_CATALOG names .*models\.json, which cannot be used: .+$/);
  });

  it('refuses a missing file', () => {
    const served = { engines: new Map<string, number>(), trainable: new Set<string>(), providers: new Set<string>() };
    expect(() =>
      openCatalog({ modelCatalog: join(directory, 'none.json'), dataDir: directory, modelsDir: null }, served),
    ).toThrow(/^ANNEAL_MODEL_CATALOG names .*none\.json, which cannot be used: ENOENT/);
  });
});

describe('the visible catalog', () => {
  const hidden = { ...model, id: 'a/hidden', hidden: true, rollout: 'early' };
  const gated = { ...model, id: 'a/gated', gated: true, rollout: 'rates' };
  const catalog = new Catalog(checkCatalog({ models: [model, hidden, gated], aliases: { h: 'a/hidden' } }));

  it.each([
    [[], ['a/b', 'a/gated'], false],
    [['early'], ['a/b', 'a/hidden', 'a/gated'], false],
    [['rates'], ['a/b', 'a/gated'], true],
    [['other'], ['a/b', 'a/gated'], false],
  ])('depends on the rollouts: %j', (rollouts, ids, prices) => {
    const view = catalog.visibleTo(new Set(rollouts));
    expect(view.entries.map(({ id }) => id)).toEqual(ids);
    for (const id of ['a/hidden', 'h', 'a/hidden-20261120'])
      expect(view.resolve(id)?.id).toBe(ids.includes('a/hidden') ? 'a/hidden' : undefined);
    expect(view.seesPricesOf(catalog.resolve('a/gated')!)).toBe(prices);
    expect(view.seesPricesOf(catalog.resolve('a/b')!)).toBe(true);
  });

  it('looks up the account only for hidden models', async () => {
    const asked: string[] = [];
    const visible = new VisibleCatalog(catalog, {
      rolloutsOf: ({ teamId }) => {
        asked.push(teamId);
        return Promise.resolve(new Set(teamId === 't1' ? ['early'] : []));
      },
    });
    const account = (teamId: string) => ({ teamId, workspaceId: 'w' });
    expect(visible.resolve(account('t1'), 'a/b')).toMatchObject({ id: 'a/b' });
    expect(visible.resolve(account('t1'), 'nothing')).toBeNull();
    expect(asked).toEqual([]);
    expect(await visible.resolve(account('t1'), 'h')).toMatchObject({ id: 'a/hidden' });
    expect(await visible.resolve(account('t2'), 'h')).toBeNull();
    expect(asked).toEqual(['t1', 't2']);
  });
});
