import type { Example } from '../../engine.js';
import { drain } from '../../steps.js';
import { groupEncoder } from '../text-encoder.fixture.js';
import { encodeRows } from './encode-rows.js';

const labelled = (count: number, name: string) =>
  Array.from({ length: count }, (_, row): Example => ({ text: `${name} ${row}`, labels: ['a'] }));

describe('encoding of rows before training', () => {
  it('encodes all validation texts, but only as many training texts as are used', () => {
    const read: string[] = [];
    const job = { train: labelled(10, 'train'), validation: labelled(3, 'validation') };
    drain(encodeRows(job, groupEncoder([], read), 5));
    expect(read).toEqual([...job.validation.map(({ text }) => text), ...[0, 2, 4, 6, 8].map((row) => `train ${row}`)]);
  });

  it('encodes a row once if it is used for training and validation', () => {
    const read: string[] = [];
    const train = labelled(4, 'train');
    drain(encodeRows({ train, validation: train }, groupEncoder([], read)));
    expect(read).toHaveLength(4);
  });

  it('reads the words of the rows that a head is judged by, since those of others are read once', () => {
    const words: string[] = [];
    const encoder = groupEncoder([]);
    const spied = { ...encoder, words: (tokens: readonly string[]) => (words.push(...tokens), encoder.words(tokens)) };
    const row = (text: string): Example => ({ text, entities: [] });
    drain(encodeRows({ train: [row('learned')], validation: [row('judged')] }, spied));
    drain(encodeRows({ train: [row('learned')], validation: [] }, spied));
    expect(words).toEqual(['judged']);
  });
});
