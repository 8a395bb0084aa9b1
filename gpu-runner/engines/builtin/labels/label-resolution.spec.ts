import { describe, expect, it } from '@jest/globals';
import { ENTITY_TYPE_NAMES } from './entity-types.js';
import { LABEL_ALIASES } from './label-aliases.js';
import { resolveLabel, resolveLabels } from './label-resolution.js';

describe('label resolution', () => {
  it('finds every type by its own name', () => {
    for (const name of ENTITY_TYPE_NAMES) expect(resolveLabel(name)).toContain(name);
  });

  it.each([
    ['PER', ['person', 'artist']],
    ['Surnames', ['person']],
    ['phoneNumber', ['phone']],
    ['E-Mail Addresses', ['email']],
    ['ZIP_CODE', ['postal_code']],
    ['Währung', ['currency']],
    ['companies', ['company', 'airline']],
    ['TV series', ['tv_show']],
    ['DATETIME', ['date', 'time']],
    ['GPE', ['city', 'country', 'state', 'region']],
  ])('knows %s', (label, types) => expect(resolveLabel(label)).toEqual(types));

  it.each([
    ['delivery city', ['city']],
    ['shipping_cities', ['city']],
    ['pickup time', ['time']],
    ['ticket price', ['money']],
    ['customer email address', ['email']],
    ['person.birth-date', ['date']],
  ])('reads the head noun of %s', (label, types) => expect(resolveLabel(label)).toEqual(types));

  it.each(['', 'room number', 'warranty code', 'zzz', 'mood', 'shoe size', '42', 'legal entity type'])(
    'does not guess the meaning of %j',
    (label) => expect(resolveLabel(label)).toEqual([]),
  );

  it('names only types of the base', () => {
    for (const types of LABEL_ALIASES.values()) for (const type of types) expect(ENTITY_TYPE_NAMES).toContain(type);
  });

  it('gives a type to the narrowest of the labels that match it', () => {
    const resolved = resolveLabels(['organization', 'company', 'location', 'city']);
    expect(resolved.get('company')).toEqual(['company', 'airline']);
    expect(resolved.get('organization')).not.toContain('company');
    expect(resolved.get('city')).toEqual(['city']);
    expect(resolved.get('location')).toContain('country');
    expect(resolved.get('location')).not.toContain('city');
  });

  it('gives equal labels the same type', () => {
    const resolved = resolveLabels(['price', 'cost', 'unheard of']);
    expect(resolved.get('price')).toEqual(['money']);
    expect(resolved.get('cost')).toEqual(['money']);
    expect(resolved.get('unheard of')).toEqual([]);
  });
});
