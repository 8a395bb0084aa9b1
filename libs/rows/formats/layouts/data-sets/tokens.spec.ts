import { processed } from '../../reading.fixture.js';

const reasonOf = async (...rows: readonly unknown[]) =>
  (await processed(rows.map((row) => JSON.stringify(row)).join('\n'))).reason;

describe('tokens with a tag too few', () => {
  it.each(['ner_tags', 'tags', 'labels'])('are refused with both numbers: %s', async (key) => {
    const short = { tokens: ['Ada', 'met', 'Bob'], [key]: ['B-PER', 'O'] };
    const whole = { tokens: ['Ada', 'met'], [key]: ['B-PER', 'O'] };
    const reason = `${key} has 2 tags for the 3 tokens under tokens; each token has one`;
    expect(await reasonOf(short)).toBe(`row 1: ${reason}`);
    expect(await reasonOf(whole, short)).toBe(`row 2: ${reason}`);
  });
});

it('tags of the words of a sentence may be one text', async () => {
  const file = 'sentence,word_labels\nAda met Bob,"B-PER,O,B-PER"\nIn Rome,"O,B-LOC"\n';
  const { rows } = await processed(file);
  expect(rows).toMatchObject([
    { text: 'Ada met Bob', entities: [{ text: 'Ada' }, { text: 'Bob' }] },
    { text: 'In Rome', entities: [{ text: 'Rome', label: 'LOC' }] },
  ]);
});
