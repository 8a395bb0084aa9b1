import { Catalog } from './catalog.js';
import { checkCatalog } from './check.js';
import { readCatalog } from './read.js';

const model = { ...readCatalog().entries[0]!, id: 'a/b', cache_read_price_per_million: null };

describe('catalog', () => {
  test('well-known ids resolve to the built-in encoder, and are not listed', () => {
    const catalog = readCatalog();
    expect(catalog.resolve('fastino/gliner2-base-v1')?.id).toBe('anneal/encoder-base-v1');
    expect(catalog.entries.map(({ id }) => id)).toEqual(['anneal/encoder-base-v1']);
    expect(catalog.resolve('constructor')).toBeNull();
  });

  test('a missing cache price is the input price', () => {
    const catalog = new Catalog(checkCatalog({ models: [model], aliases: {} }));
    expect(catalog.entries[0]!.cache_read_price_per_million).toBe(model.input_price_per_million);
  });

  test.each([
    ['a price below zero', { models: [{ ...model, input_price_per_million: -1 }], aliases: {} }, /a\/b.*input_price/],
    ['a missing flag', { models: [{ ...model, supports_training: undefined }], aliases: {} }, /supports_training/],
    ['the same id twice', { models: [model, model], aliases: {} }, /twice/],
    ['an alias to nowhere', { models: [model], aliases: { x: 'nowhere' } }, /alias "x"/],
    ['no models', { models: [], aliases: {} }, /models/],
  ])('%s is refused, naming it', (_, file, message) => {
    expect(() => checkCatalog(file)).toThrow(message);
  });
});
