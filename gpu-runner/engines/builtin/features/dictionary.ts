/**
 * Open-addressing index from 64-bit feature keys to row numbers 0, 1, 2, ... The keys are two parallel lanes; the table of
 * slots is small and built on loading, so that the key arrays can stay shared between threads.
 */
export class FeatureDictionary {
  private readonly slots: Int32Array;
  private readonly mask: number;

  /** @param high @param low the lanes of row i's key at index i; kept, not copied; keys are distinct */
  constructor(
    readonly high: Uint32Array,
    readonly low: Uint32Array,
  ) {
    const capacity = tableSize(high.length);
    this.slots = new Int32Array(capacity).fill(-1);
    this.mask = capacity - 1;
    for (let row = 0; row < high.length; row++) {
      let slot = low[row]! & this.mask;
      while (this.slots[slot]! >= 0) slot = (slot + 1) & this.mask;
      this.slots[slot] = row;
    }
  }

  get size(): number {
    return this.high.length;
  }

  /** @returns the row of a key, or -1 */
  find(high: number, low: number): number {
    const slots = this.slots;
    let slot = low & this.mask;
    for (let row = slots[slot]!; row >= 0; row = slots[slot]!) {
      if (this.low[row] === low && this.high[row] === high) return row;
      slot = (slot + 1) & this.mask;
    }
    return -1;
  }
}

/** A dictionary that grows: gives each new key the next row and counts how often each was seen. */
export class FeatureCounter {
  private high = new Uint32Array(1 << 12);
  private low = new Uint32Array(1 << 12);
  private counts = new Uint32Array(1 << 12);
  private slots = new Int32Array(1 << 13).fill(-1);
  private features = 0;

  get size(): number {
    return this.features;
  }

  /** Counts a key. @returns its row */
  add(high: number, low: number): number {
    const mask = this.slots.length - 1;
    let slot = low & mask;
    for (let row = this.slots[slot]!; row >= 0; row = this.slots[slot]!) {
      if (this.low[row] === low && this.high[row] === high) {
        this.counts[row]!++;
        return row;
      }
      slot = (slot + 1) & mask;
    }
    const row = this.features++;
    this.slots[slot] = row;
    this.high[row] = high;
    this.low[row] = low;
    this.counts[row] = 1;
    if (this.features === this.high.length) this.grow();
    return row;
  }

  /**
   * Keeps the keys seen at least `minimum` times, in order of first sight.
   * @param always number of the first rows that are kept, regardless of counts
   * @returns the dictionary, and for each counted row its new row or -1
   */
  freeze(minimum: number, always = 0): { readonly dictionary: FeatureDictionary; readonly rows: Int32Array } {
    const rows = new Int32Array(this.features).fill(-1);
    let kept = 0;
    for (let row = 0; row < this.features; row++) if (row < always || this.counts[row]! >= minimum) rows[row] = kept++;
    const high = new Uint32Array(kept);
    const low = new Uint32Array(kept);
    for (let row = 0; row < this.features; row++) {
      const next = rows[row]!;
      if (next < 0) continue;
      high[next] = this.high[row]!;
      low[next] = this.low[row]!;
    }
    return { dictionary: new FeatureDictionary(high, low), rows };
  }

  private grow(): void {
    const size = this.features;
    this.high = doubled(this.high);
    this.low = doubled(this.low);
    this.counts = doubled(this.counts);
    const slots = new Int32Array(tableSize(size * 2)).fill(-1);
    const mask = slots.length - 1;
    for (let row = 0; row < size; row++) {
      let slot = this.low[row]! & mask;
      while (slots[slot]! >= 0) slot = (slot + 1) & mask;
      slots[slot] = row;
    }
    this.slots = slots;
  }
}

function doubled(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const next = new Uint32Array(array.length * 2);
  next.set(array);
  return next;
}

/** A power of two that leaves at least half of the slots empty. */
function tableSize(entries: number): number {
  let size = 16;
  while (size < entries * 2) size *= 2;
  return size;
}
