import type { Tensor } from './head.js';

/**
 * xoshiro128** 1.1 (Blackman and Vigna, 2018): 32 bits a draw, period 2^128 - 1, state of four words that can be saved.
 * Seeded through splitmix32, so that near seeds give unrelated streams.
 */
export class Random {
  private readonly state: Uint32Array;

  /** @param seed an integer; only its value modulo 2^32 counts */
  constructor(seed: number) {
    this.state = new Uint32Array(4);
    let z = seed >>> 0;
    for (let i = 0; i < 4; i++) {
      z = (z + 0x9e3779b9) >>> 0;
      let x = z;
      x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
      x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
      this.state[i] = x ^ (x >>> 15);
    }
  }

  /** @returns an integer from 0 to 2^32 - 1 */
  uint32(): number {
    const s = this.state;
    const s1 = s[1]!;
    const product = Math.imul(s1, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    s[2]! ^= s[0]!;
    s[3]! ^= s1;
    s[1]! ^= s[2]!;
    s[0]! ^= s[3]!;
    s[2]! ^= s1 << 9;
    const s3 = s[3]!;
    s[3] = (s3 << 11) | (s3 >>> 21);
    return result;
  }

  /** @returns a number in [0, 1) with 32 random bits */
  next(): number {
    return this.uint32() / 0x100000000;
  }

  /** @returns an integer in [0, bound), without bias worth naming for bounds far below 2^32 */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  /** Shuffles in place (Fisher and Yates). */
  shuffle<T extends { length: number; [index: number]: unknown }>(items: T): T {
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      const held = items[i];
      items[i] = items[j];
      items[j] = held;
    }
    return items;
  }

  /** @returns the four words of the state, copied */
  save(): Tensor {
    return { shape: [4], data: this.state.slice() };
  }

  /** Continues from a saved generator. */
  restore(tensor: Tensor): void {
    this.state.set(tensor.data as Uint32Array);
  }
}
