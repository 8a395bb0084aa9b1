import { answerInShort } from './answer-in-short.js';

describe('an answer in short', () => {
  it.each([
    [
      'classes, with the confidence of the first',
      { topic: { label: 'parcel', confidence: 0.7 }, tone: 'calm' },
      'parcel, calm',
      0.7,
    ],
    [
      'entities, where it has no class',
      { entities: { city: [{ text: 'Lyon' }, { text: 'Ghent' }] } },
      'entities: 2',
      undefined,
    ],
    [
      'records and relations',
      { order: [{}], relation_extraction: { sent_to: [['a', 'b']] } },
      'order: 1, relations: 1',
      undefined,
    ],
    ['a text', 'It has not arrived.', 'It has not arrived.', undefined],
    ['nothing', { entities: {} }, '', undefined],
    ['nothing readable', null, '', undefined],
  ])('says %s', (_, output, said, confidence) => {
    expect(answerInShort(output)).toEqual({ said, confidence });
  });
});
