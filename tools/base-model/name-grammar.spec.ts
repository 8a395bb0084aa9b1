import { describe, expect, it } from '@jest/globals';
import { Random } from '#gpu-runner/engines/builtin/random.js';
import { Coinage } from './coinage.js';
import { parseNameGrammar, plural } from './name-grammar.js';
import { WordLists } from './word-lists.js';

const lists = new WordLists();
const grammar = (source: string, share = 0) => {
  const coinage = new Coinage(share);
  const expressions = { ten: () => 'ten' };
  return { coinage, slots: parseNameGrammar(source, { lists, coinage, expressions }) };
};
const samples = (source: string, name: string, count = 60) => {
  const random = new Random(3);
  const { fill } = grammar(source).slots.get(name)!;
  return new Set(Array.from({ length: count }, () => fill(random)));
};

describe('name grammar', () => {
  it('has slots with a type, slots without a label, and parts', () => {
    const { slots } = grammar('a -> city = x\nb -> none = y\nc = z');
    expect([...slots].map(([name, { type }]) => [name, type])).toEqual([
      ['a', 'city'],
      ['b', null],
    ]);
  });

  it('chooses among alternatives and inside brackets, keeping inner spaces', () => {
    expect(samples('a -> none = one | two[| more]', 'a')).toEqual(new Set(['one', 'two', 'two more']));
  });

  it('weights alternatives', () => {
    expect(samples('a -> none = 1: never | 100000: always', 'a')).toEqual(new Set(['always']));
  });

  it('follows rules in any order, expressions and patterns', () => {
    expect(samples('a -> none = {b}-{ten}-<#>\nb = x', 'a', 500).size).toBe(10);
    expect([...samples('a -> none = {b}-{ten}-<#>\nb = x', 'a')][0]).toMatch(/^x-ten-\d$/);
  });

  it('changes case and number', () => {
    expect(samples('a -> none = {b^} {b_} {b+} {b%}\nb = red Fox', 'a')).toEqual(
      new Set(['Red Fox red fox red Foxes Red Fox']),
    );
    expect(['city', 'day', 'bus'].map(plural)).toEqual(['cities', 'days', 'buses']);
  });

  it('continues a rule on an indented line', () => {
    expect(samples('a -> none = x\n  | y', 'a')).toEqual(new Set(['x', 'y']));
  });

  it('remembers the gazetteer class of respelled names', () => {
    const { slots, coinage } = grammar('a -> city = {!city:small_city}', 1);
    const random = new Random(1);
    const made = Array.from({ length: 20 }, () => slots.get('a')!.fill(random));
    expect(coinage.phrases('small_city').length).toBeGreaterThan(10);
    expect(coinage.phrases('city')).toEqual([]);
    for (const phrase of coinage.phrases('small_city')) expect(made).toContain(phrase);
  });

  it.each(['a -> none = {missing}', 'a -> none = {=missing}', 'a -> none = [x', 'a -> none = {x', 'nothing'])(
    'refuses %s',
    (source) => expect(() => grammar(source)).toThrow(),
  );
});
