import { bytesTooMany, storedFields, type StoredDocument } from './stored-document.js';

const MIB = 1024 * 1024;
const stored = (text: string, more: Partial<StoredDocument> = {}): StoredDocument => ({
  _id: 'a',
  _pos: '1',
  ...storedFields({ text }),
  ...more,
});

describe('the size of a stored document', () => {
  it.each([
    ['a text', stored('x'.repeat(16 * MIB))],
    ['a list', { _id: 'a', _pos: '1', ...storedFields({ list: ['x'.repeat(16 * MIB)] }) }],
    ['a long id', stored('x'.repeat(15 * MIB), { _id: 'a'.repeat(MIB) })],
    ['many words', stored('x'.repeat(15 * MIB), { w: Array.from({ length: 1_000 }, () => 'é'.repeat(1_024)) })],
    ['a unique key', stored('x'.repeat(15 * MIB), { u0: 'k'.repeat(MIB) })],
  ])('counts %s', (_, document) => {
    expect(bytesTooMany(document)).toBeGreaterThan(0);
  });

  it('leaves room for what nearly fills it', () => {
    expect(bytesTooMany(stored('x'.repeat(16 * MIB - 32 * 1024)))).toBe(0);
  });
});
