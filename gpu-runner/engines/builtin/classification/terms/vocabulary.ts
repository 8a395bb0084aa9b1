import type { HeadState } from '../../head.js';
import { visitTerms } from './terms.js';

/** A text as tf-idf weights of known terms, of length 1 (unless empty). */
export interface SparseVector {
  readonly indices: Int32Array;
  readonly values: Float32Array;
}

/**
 * The terms a head knows, with their weights: an open-addressing table over 64-bit hashes, kept as the
 * flat arrays that an artifact stores, so that loading one builds nothing.
 */
export class Vocabulary {
  readonly size: number;
  /** Terms of the current text: the count of each, and which occur. Scratch, all zero between calls. */
  private readonly counts: Uint16Array;
  private touched: Int32Array = new Int32Array(1024);

  /**
   * @param keys [slots, 2] halves of the hash; slots is a power of two
   * @param terms [slots] index of the term, -1 if a slot is free
   * @param weights [size] inverse document frequency times the weight of the kind of term
   */
  constructor(
    readonly keys: Uint32Array,
    readonly terms: Int32Array,
    readonly weights: Float32Array,
  ) {
    this.size = weights.length;
    this.counts = new Uint16Array(this.size);
  }

  /** @returns tf-idf with 1 + log(tf), scaled to length 1; terms in order of first occurrence */
  vectorize(text: string): SparseVector {
    let used = 0;
    visitTerms(text, (high, low) => {
      const term = this.find(high, low);
      if (term < 0) return;
      const count = this.counts[term]!;
      if (count === 0) {
        if (used === this.touched.length) this.touched = grown(this.touched);
        this.touched[used++] = term;
      }
      if (count < 0xffff) this.counts[term] = count + 1;
    });
    const indices = this.touched.slice(0, used);
    const values = new Float32Array(used);
    let squares = 0;
    for (let i = 0; i < used; i++) {
      const term = indices[i]!;
      const weight = (1 + Math.log(this.counts[term]!)) * this.weights[term]!;
      this.counts[term] = 0;
      values[i] = weight;
      squares += weight * weight;
    }
    const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
    for (let i = 0; i < used; i++) values[i]! *= scale;
    return { indices, values };
  }

  toTensors(): HeadState['tensors'] {
    return {
      term_keys: { shape: [this.terms.length, 2], data: this.keys },
      term_slots: { shape: [this.terms.length], data: this.terms },
      term_weights: { shape: [this.size], data: this.weights },
    };
  }

  private find(high: number, low: number): number {
    const mask = this.terms.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const term = this.terms[slot]!;
      if (term < 0 || (this.keys[2 * slot] === high && this.keys[2 * slot + 1] === low)) return term;
    }
  }
}

interface VocabularyLimits {
  /** Terms in fewer texts than this are left out. */
  readonly minimumTexts: number;
  /** Maximum number of terms; those in the most texts stay. */
  readonly maximumTerms: number;
}

/**
 * Collects the terms of the texts. The order of the texts decides the order of the terms.
 * @param earlier a vocabulary to extend: its terms keep their indices and frequencies, and come first
 */
export function buildVocabulary(
  texts: readonly string[],
  limits: VocabularyLimits,
  earlier: Vocabulary | null = null,
): Vocabulary {
  const table = new FrequencyTable();
  texts.forEach((text, index) => visitTerms(text, (high, low, weight) => table.see(high, low, weight, index)));
  let minimum = limits.minimumTexts;
  while (table.countAtLeast(minimum) > limits.maximumTerms) minimum++;
  return table.finish(minimum, texts.length, earlier);
}

/** Counts in how many texts each hash occurs. */
class FrequencyTable {
  private keys = new Uint32Array(2 << 16);
  private terms = new Int32Array(1 << 16).fill(-1);
  private readonly frequency: number[] = [];
  private readonly lastText: number[] = [];
  private readonly kindWeight: number[] = [];

  see(high: number, low: number, weight: number, text: number): void {
    const slot = freeOrEqual(this.keys, this.terms, high, low);
    const term = this.terms[slot]!;
    if (term >= 0) {
      if (this.lastText[term] === text) return;
      this.lastText[term] = text;
      this.frequency[term]!++;
      return;
    }
    this.keys[2 * slot] = high;
    this.keys[2 * slot + 1] = low;
    this.terms[slot] = this.frequency.length;
    this.frequency.push(1);
    this.kindWeight.push(weight);
    this.lastText.push(text);
    if (this.frequency.length * 2 > this.terms.length) this.grow();
  }

  countAtLeast(minimum: number): number {
    return this.frequency.reduce((count, frequency) => count + (frequency >= minimum ? 1 : 0), 0);
  }

  finish(minimum: number, texts: number, earlier: Vocabulary | null): Vocabulary {
    const weights = earlier === null ? [] : [...earlier.weights];
    const kept = earlier === null ? emptySlots(16) : { keys: earlier.keys.slice(), terms: earlier.terms.slice() };
    const room = this.countAtLeast(minimum);
    const { keys, terms } = rehash(kept.keys, kept.terms, slotsFor(weights.length + room));
    for (const slot of this.slotsInOrder()) {
      const term = this.terms[slot]!;
      const frequency = this.frequency[term]!;
      if (frequency < minimum) continue;
      const [high, low] = [this.keys[2 * slot]!, this.keys[2 * slot + 1]!];
      const target = freeOrEqual(keys, terms, high, low);
      if (terms[target]! >= 0) continue;
      keys[2 * target] = high;
      keys[2 * target + 1] = low;
      terms[target] = weights.length;
      weights.push(this.kindWeight[term]! * (Math.log((1 + texts) / (1 + frequency)) + 1));
    }
    return new Vocabulary(keys, terms, Float32Array.from(weights));
  }

  /** Slot of each term, in the order in which the terms were first seen. */
  private slotsInOrder(): Int32Array {
    const slots = new Int32Array(this.frequency.length);
    this.terms.forEach((term, slot) => {
      if (term >= 0) slots[term] = slot;
    });
    return slots;
  }

  private grow(): void {
    ({ keys: this.keys, terms: this.terms } = rehash(this.keys, this.terms, this.terms.length * 2));
  }
}

function emptySlots(slots: number) {
  return { keys: new Uint32Array(2 * slots), terms: new Int32Array(slots).fill(-1) };
}

function rehash(keys: Uint32Array, terms: Int32Array, slots: number) {
  const target = emptySlots(slots);
  for (let slot = 0; slot < terms.length; slot++) {
    if (terms[slot]! < 0) continue;
    const free = freeOrEqual(target.keys, target.terms, keys[2 * slot]!, keys[2 * slot + 1]!);
    target.keys[2 * free] = keys[2 * slot]!;
    target.keys[2 * free + 1] = keys[2 * slot + 1]!;
    target.terms[free] = terms[slot]!;
  }
  return target;
}

function freeOrEqual(keys: Uint32Array, terms: Int32Array, high: number, low: number): number {
  const mask = terms.length - 1;
  let slot = low & mask;
  while (terms[slot]! >= 0 && (keys[2 * slot] !== high || keys[2 * slot + 1] !== low)) slot = (slot + 1) & mask;
  return slot;
}

/** A power of two that leaves at least a third free. */
function slotsFor(size: number): number {
  let slots = 16;
  while (slots * 2 < size * 3) slots *= 2;
  return slots;
}

function grown(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}
