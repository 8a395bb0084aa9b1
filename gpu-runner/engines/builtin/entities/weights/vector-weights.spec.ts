import { Random } from '../../random.js';
import { addVectorProducts } from './vector-weights.js';

const random = new Random(4);
const numbers = (length: number) => Float32Array.from({ length }, () => 2 * random.next() - 1);

describe('products of word vectors and weights', () => {
  it.each([
    [1, 1],
    [2, 4],
    [3, 5],
    [5, 11],
  ])('of %i words and %i rows of weights are added to the existing sums, times the factor', (n, width) => {
    const dimensions = 6;
    const [vectors, weights] = [numbers(n * dimensions), numbers(width * dimensions)];
    // Room for one word more, whose sums must stay as they are.
    const sums = new Float64Array((n + 1) * width).fill(2);
    addVectorProducts(vectors, weights, dimensions, n, sums, 0.5);
    for (let i = 0; i < n; i++)
      for (let k = 0; k < width; k++) {
        let product = 0;
        for (let d = 0; d < dimensions; d++) product += vectors[i * dimensions + d]! * weights[k * dimensions + d]!;
        expect(sums[i * width + k]).toBeCloseTo(2 + 0.5 * product, 10);
      }
    expect([...sums.subarray(n * width)]).toEqual(Array(width).fill(2));
  });

  it('are bit-identical for a word, whatever words surround it', () => {
    const [dimensions, width, n] = [384, 11, 5];
    const [vectors, weights] = [numbers(n * dimensions), numbers(width * dimensions)];
    const together = new Float64Array(n * width);
    addVectorProducts(vectors, weights, dimensions, n, together);
    for (let i = 0; i < n; i++) {
      const alone = new Float64Array(width);
      addVectorProducts(vectors.subarray(i * dimensions), weights, dimensions, 1, alone);
      expect(alone).toEqual(together.slice(i * width, (i + 1) * width));
    }
  });
});
