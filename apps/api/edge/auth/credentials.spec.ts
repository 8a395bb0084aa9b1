import { credentialsOf, showsApiKey } from './credentials.js';

const key = 'pio_sk_0123456789';

describe('the API key of a request', () => {
  it.each<[string, Record<string, string>]>([
    ['X-API-Key', { 'x-api-key': key }],
    ["the header of Azure's clients", { 'api-key': key }],
    ['Authorization', { authorization: `Bearer ${key}` }],
    ['Authorization in lower case', { authorization: `bearer  ${key} ` }],
    ['Authorization without a scheme', { authorization: key }],
    ['X-API-Key with a scheme', { 'x-api-key': `Bearer ${key}` }],
    ['Authorization beside a placeholder', { 'x-api-key': 'dummy', authorization: `Bearer ${key}` }],
    ['X-API-Key beside a placeholder', { 'x-api-key': key, authorization: 'Bearer dummy' }],
    ['X-API-Key before Authorization', { 'x-api-key': key, authorization: 'Bearer pio_sk_another' }],
  ])('is read from %s', (_, headers) => {
    expect(credentialsOf(headers)).toEqual({ kind: 'key', key });
    expect(showsApiKey(headers)).toBe(true);
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['another word as a key', { 'api-key': 'dummy' }, /keys begin with pio_sk_/],
    ['another scheme', { authorization: 'Basic abc' }, /should be: Bearer/],
    ['nothing', {}, /no credentials/],
  ])('is asked for with %s', (_, headers, told) => {
    expect(() => credentialsOf(headers)).toThrow(told);
  });
});
