import { nearest, vectorOf } from './nearest.js';

describe('the rows nearest to a text', () => {
  const vectors = [
    [1, 0],
    [0, 1],
    [2, 0],
    [1, 1],
  ].map((each) => Float32Array.from(each));

  it('are those of the smallest angle, whatever the length of their vectors', () => {
    const [first, second, ...more] = nearest(vectors, 2);
    expect(more).toEqual([]);
    expect(first).toEqual({ place: 1, nearness: 1 });
    expect(second!.place).toBe(2);
    expect(second!.nearness).toBeCloseTo(Math.SQRT1_2);
  });

  it('come of vectors in base64', () => {
    const bytes = new Uint8Array(Float32Array.of(0.5, -2).buffer);
    expect([...vectorOf(btoa(String.fromCharCode(...bytes)))]).toEqual([0.5, -2]);
  });
});
