import { generationFigures, perplexityOf } from './generation-figures.js';

const answers = (...pairs: readonly (readonly [expected: string, said: string])[]) =>
  pairs.map(([expected, said]) => ({ expected, said }));
const valuesOf = (pairs: readonly (readonly [expected: string, said: string])[]) => {
  const { exactMatch, normalizedExactMatch, rougeL, bleu } = generationFigures(answers(...pairs));
  return [exactMatch, normalizedExactMatch, rougeL, bleu].map(({ value }) => value);
};

describe('figures of generated answers', () => {
  it('are all 1 for the expected answers', () => {
    expect(
      valuesOf([
        ['Lima', 'Lima'],
        ['The end.', 'The end.'],
      ]),
    ).toEqual([1, 1, 1, 1]);
  });

  it('are all 0 without anything in common', () => {
    expect(
      valuesOf([
        ['Lima is in Peru', 'no'],
        ['yes', ''],
      ]),
    ).toEqual([0, 0, 0, 0]);
  });

  it('ignore case, punctuation, articles and white space only in the normalised match', () => {
    expect(valuesOf([['The Lima office.', 'lima  office']]).slice(0, 2)).toEqual([0, 1]);
  });

  it('count the longest common subsequence of words in ROUGE-L', () => {
    // "police killed the gunman" and "police kill the gunman": three of four words (Lin 2004).
    const [, , rougeL] = valuesOf([['police killed the gunman', 'Police kill the gunman!']]);
    expect(rougeL).toBe(0.75);
  });

  it('pool n-grams of all answers in BLEU, as sacreBLEU 2.6 does', () => {
    const pairs = [
      ['The dog bit the man.', 'The dog bit the man.'],
      ["It wasn't surprising, at all: 3.5 of 7.", 'It was not unexpected, at all: 3.5 of 7.'],
      ['The man had just bitten him.', 'The man bit him first.'],
    ] as const;
    const [, , , bleu] = valuesOf([...pairs]);
    expect(bleu).toBe(0.617303);
    // Two tokens have no longer n-grams: with its effective_order.
    expect(valuesOf([['Lima it is', 'Lima it']])[3]).toBe(0.606531);
  });

  it('have intervals that contain the figure, reproducible, and narrower with more rows', () => {
    const half = (rows: number) =>
      answers(...Array.from({ length: rows }, (_, row) => ['yes', row % 2 === 0 ? 'yes' : 'no'] as const));
    const [few, many] = [generationFigures(half(20)).exactMatch, generationFigures(half(500)).exactMatch];
    expect(few).toEqual(generationFigures(half(20)).exactMatch);
    expect([few.value, many.value]).toEqual([0.5, 0.5]);
    expect(few.low).toBeLessThan(few.value);
    expect(few.high).toBeGreaterThan(few.value);
    expect(many.high - many.low).toBeLessThan((few.high - few.low) / 3);
    // The interval of 500 throws of a coin is 0.5 +- 1.96 * sqrt(0.25 / 500).
    expect(many.high).toBeCloseTo(0.5438, 1);
  });

  it('measure fields of rows with JSON answers, in any order of keys and lists', () => {
    const { json } = generationFigures(
      answers(
        ['{"name":"Ada","tags":["a","b"]}', '{"tags":["b","a"],"name":"Ada"}'],
        ['{"name":"Bob","age":3}', '{"name":"Bob","age":4,"city":"Rome"}'],
        ['{"name":"Eve"}', 'name: Eve'],
        ['plain', '{"name":"nobody asked"}'],
      ),
    );
    expect(json!.rows).toBe(3);
    expect(json!.validity.value).toBeCloseTo(2 / 3, 5);
    // The answers have six fields, four of the six expected among them.
    expect([json!.fieldPrecision.value, json!.fieldRecall.value, json!.fieldF1.value]).toEqual([
      0.666667, 0.666667, 0.666667,
    ]);
  });

  it('have no JSON figures if no expected answer is an object or a list', () => {
    expect(generationFigures(answers(['3', '3'], ['yes', '{}'])).json).toBeNull();
  });
});

describe('perplexity', () => {
  it('is e to the loss per token, whatever the lengths of the answers', () => {
    const { value, low, high } = perplexityOf([
      { nats: 10 * Math.log(2), tokens: 10 },
      { nats: 20 * Math.log(4), tokens: 20 },
      { nats: 0, tokens: 0 },
    ])!;
    expect(value).toBeCloseTo(2 ** ((10 + 40) / 30), 5);
    expect([low, high]).toEqual([2, 4]);
  });

  it('is finite for any unlikely answer, and absent if nothing was read', () => {
    expect(perplexityOf([{ nats: 1e9, tokens: 1 }])!.value).toBeLessThan(Infinity);
    expect(perplexityOf([{ nats: 0, tokens: 0 }])).toBeNull();
  });
});
