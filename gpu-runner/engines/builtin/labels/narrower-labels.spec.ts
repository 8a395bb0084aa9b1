import { describe, expect, it } from '@jest/globals';
import { labelsBeyondTypes, scopeOf } from './narrower-labels.js';

describe('the scope of a label', () => {
  it.each([
    ['person', 'type'],
    ['corporation', 'type'],
    ['delivery city', 'type'],
    ['sender', 'type'],
    ['Politicians', 'narrower'],
    ['programmingLanguage', 'narrower'],
    ['musical_instrument', 'narrower'],
    ['protein', 'unknown'],
    ['', 'unknown'],
  ] as const)('%j is %s', (label, scope) => expect(scopeOf(label)).toBe(scope));
});

describe('labels beyond types', () => {
  it('are none where every label is a name of types', () => {
    const labels = ['person', 'location', 'corporation', 'group', 'product', 'creative-work', 'misc'];
    expect(labelsBeyondTypes(labels).size).toBe(0);
  });

  it('are the narrower and the unknown ones, and those that share types with a narrower one', () => {
    const labels = ['person', 'politician', 'protein', 'country', 'date'];
    expect([...labelsBeyondTypes(labels)]).toEqual(['person', 'politician', 'protein']);
  });

  it('have the rest among them', () => {
    expect([...labelsBeyondTypes(['misc', 'protein', 'city'])]).toEqual(['misc', 'protein']);
  });
});
