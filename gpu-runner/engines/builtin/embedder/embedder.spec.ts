import { hash } from 'node:crypto';
import { drain } from '../../steps.js';
import { BUILTIN_EMBEDDER } from './facts.js';
import { createEmbedder } from './index.js';

const MAX_TOKENS = 50;
const embedder = createEmbedder(MAX_TOKENS);
const vectorOf = (text: string, dimensions = 256) => drain(embedder.embed([text], dimensions)).vectors;
const cosine = (a: string, b: string) => {
  const [x, y] = [vectorOf(a), vectorOf(b)];
  return x.reduce((sum, value, index) => sum + value * y[index]!, 0);
};
const lengthOf = (vector: Float32Array) => Math.hypot(...vector);

describe('the built-in embedder', () => {
  it('gives vectors of length 1, whatever the text and the dimensions', () => {
    for (const text of ['Hello world', 'x', ' ', '...', '駅はどこですか', '\ud800', '😀', 'a'.repeat(100_000)])
      for (const dimensions of [1, 17, 256]) expect(lengthOf(vectorOf(text, dimensions))).toBeCloseTo(1, 5);
  });

  it('has the advertised number of dimensions', () => {
    expect(BUILTIN_EMBEDDER.dimensions).toBe(embedder.dimensions);
  });

  it('truncates to fewer dimensions, and scales them', () => {
    const [all, few] = [vectorOf('A text of some words'), vectorOf('A text of some words', 64)];
    const scale = lengthOf(all.subarray(0, 64));
    few.forEach((value, index) => expect(value).toBeCloseTo(all[index]! / scale, 6));
  });

  it('gives a text the same vector by itself, among others, and after others', () => {
    const alone = drain(createEmbedder(MAX_TOKENS).embed(['My card is lost'], 256)).vectors;
    const { vectors } = drain(embedder.embed(['Another text', 'My card is lost', 'My card'], 256));
    expect(vectors.subarray(256, 512)).toEqual(alone);
  });

  /** People store vectors: another model makes others, this one does not change. */
  it('gives the same vectors in every version', () => {
    const texts = ['The parcel never arrived.', 'Wo ist der Bahnhof?', '10 apples & 2 pears'];
    const { vectors } = drain(embedder.embed(texts, 256));
    // Rounded: the last bits of a logarithm are the platform's.
    const rounded = Array.from(vectors, (value) => Math.round(value * 1e4)).join(' ');
    expect(hash('sha256', rounded).slice(0, 16)).toBe('71c96bfa3457363e');
  });

  it.each([
    ['words of one meaning', 'I want a refund', 'I want to be reimbursed', 'I want a haircut'],
    ['forms of a word', 'She was running fast', 'She runs fast', 'She sings loudly'],
    ['a name misspelt', 'Kubernets', 'Kubernetes', 'Cassandra'],
    ['numbers in digits and words', 'ten apples', '10 apples', '37 apples'],
    ['another language, by its characters', 'Kündigung des Vertrags', 'den Vertrag kündigen', 'Kuchen mit Sahne'],
  ])('puts %s nearer than another text', (_, text, near, far) => {
    expect(cosine(text, near)).toBeGreaterThan(cosine(text, far) + 0.1);
  });

  it('counts tokens, and names the text that exceeds its limit', () => {
    const { inputTokens } = drain(embedder.embed(['One, two.', '駅前', '', 'a '.repeat(50), 'a '.repeat(51)], 8));
    expect(inputTokens).toEqual([4, 2, 1, 50, null]);
  });
});
