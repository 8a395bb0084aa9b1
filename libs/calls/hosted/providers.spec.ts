import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkProviders, ProvidersError, readProviders } from './providers.js';

const good = { style: 'openai', base_url: 'https://models.example/v1' };
const check = (provider: unknown, environment = {}) => checkProviders({ providers: { acme: provider } }, environment);

describe('the providers file', () => {
  it('names providers, their addresses and the variables of their keys', () => {
    const given = {
      ...good,
      base_url: 'http://10.0.0.1:8000/v1/',
      api_key_env: 'ACME_KEY',
      max_retries: 0,
      circuit_calls: 30,
    };
    expect(check(given, { ACME_KEY: ' secret-word\n' }).get('acme')).toMatchObject({
      name: 'acme',
      baseUrl: 'http://10.0.0.1:8000/v1',
      key: 'secret-word',
      maxRetries: 0,
      maxTokensField: 'max_tokens',
      circuit: { calls: 30, failurePercent: 50, openMs: 2_000 },
    });
  });

  it('may allow fields and address schemes that are refused otherwise', () => {
    const { allowed } = check({ ...good, allow_fields: ['fallbacks'], allow_url_schemes: ['http'] }).get('acme')!;
    expect([[...allowed.fields], [...allowed.schemes]]).toEqual([['fallbacks'], ['http']]);
  });

  it('may name a provider without a key', () => {
    expect(check(good).get('acme')!.key).toBeNull();
  });

  it.each<[string, unknown, RegExp]>([
    ['no object', 'x', /"acme": it must be an object/],
    ['an unknown style', { ...good, style: 'soap' }, /style must be one of openai/],
    ['no address', { style: 'openai' }, /base_url must be an address/],
    ['another protocol', { ...good, base_url: 'file:///etc' }, /base_url must be an address/],
    ['credentials in the address', { ...good, base_url: 'https://u:p@host/v1' }, /base_url must hold no credentials/],
    ['a key in the file', { ...good, api_key: 'sk-1' }, /api_key is no field/],
    ['a key variable that is not set', { ...good, api_key_env: 'NOT_SET' }, /NOT_SET is empty or not set/],
    ['two places for a key', { ...good, api_key_env: 'A', api_key_file: '/b' }, /name one/],
    ['a missing key file', { ...good, api_key_file: '/no/such' }, /api_key_file cannot be read: ENOENT/],
    ['a deadline in words', { ...good, total_timeout_ms: 'long' }, /total_timeout_ms must be a whole number/],
    [
      'a key among the headers',
      { ...good, headers: { Authorization: 'Bearer x' } },
      /Authorization is made of the key/,
    ],
    ['a field of another style', { ...good, style: 'anthropic', max_tokens_field: 'max_tokens' }, /style openai$/],
    ['a deadline that no timer has', { ...good, total_timeout_ms: 2 ** 31 }, /total_timeout_ms must be .* from 1 to/],
    ['a part of more than all', { ...good, circuit_failure_percent: 101 }, /circuit_failure_percent .* from 1 to 100$/],
    ['compressed answers', { ...good, headers: { 'Accept-Encoding': 'gzip' } }, /Accept-Encoding cannot be set/],
    ['an expectation', { ...good, headers: { expect: '100-continue' } }, /expect cannot be set/],
    [
      'a field to allow that is not refused',
      { ...good, allow_fields: ['temperature'] },
      /allow_fields .*"temperature"/,
    ],
    ['a scheme with its colon', { ...good, allow_url_schemes: ['http:'] }, /allow_url_schemes .*"http:"/],
    ['no list of schemes', { ...good, allow_url_schemes: 'http' }, /allow_url_schemes must be a list/],
    ['a header of two lines', { ...good, headers: { 'x-a': 'a\r\nb' } }, /x-a must be a string/],
  ])('with %s is refused, naming provider and field', (_, provider, message) => {
    expect(() => check(provider)).toThrow(ProvidersError);
    expect(() => check(provider)).toThrow(message);
  });

  it('is refused by name if it is missing or not JSON', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'providers-'));
    const path = join(folder, 'providers.json');
    expect(() => readProviders(path)).toThrow(/cannot be read/);
    await writeFile(path, '{"providers": ');
    expect(() => readProviders(path)).toThrow(/is not JSON/);
    await writeFile(path, '[]');
    expect(() => readProviders(path)).toThrow(/must be \{"providers"/);
    await writeFile(join(folder, 'key'), 'from-a-file\n');
    await writeFile(path, JSON.stringify({ providers: { acme: { ...good, api_key_file: join(folder, 'key') } } }));
    expect(readProviders(path).get('acme')!.key).toBe('from-a-file');
    await rm(folder, { recursive: true });
  });
});
