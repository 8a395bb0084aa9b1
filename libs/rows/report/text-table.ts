import { hash } from 'node:crypto';

const FIRST_CAPACITY = 1024;

/**
 * Texts that were seen, by 64 bits of their hash, each with the first row that has it and a number. In typed arrays, because
 * millions of strings would need many times the memory.
 */
export class TextTable {
  private count = 0;
  private capacity = FIRST_CAPACITY;
  private high = new Uint32Array(FIRST_CAPACITY);
  private low = new Uint32Array(FIRST_CAPACITY);
  /** 0 if the slot is free. */
  private rows = new Uint32Array(FIRST_CAPACITY);
  private values = new Uint32Array(FIRST_CAPACITY);

  /**
   * Records a text.
   * @param row from 1
   * @param value kept if the text is new
   * @returns the text's slot, valid until the next text is added
   */
  add(text: string, row: number, value = 0): number {
    if (this.count * 2 >= this.capacity) this.grow();
    const [high, low] = hashOf(text);
    const slot = this.slotOf(high, low);
    if (this.rows[slot] !== 0) return slot;
    this.count += 1;
    this.put(slot, high, low, row, value);
    return slot;
  }

  /** The slot of a text, null when it was not seen. */
  find(text: string): number | null {
    const slot = this.slotOf(...hashOf(text));
    return this.rows[slot] === 0 ? null : slot;
  }

  rowAt(slot: number): number {
    return this.rows[slot]!;
  }

  valueAt(slot: number): number {
    return this.values[slot]!;
  }

  setValue(slot: number, value: number): void {
    this.values[slot] = value;
  }

  private slotOf(high: number, low: number): number {
    const mask = this.capacity - 1;
    let slot = low & mask;
    while (this.rows[slot] !== 0 && (this.low[slot] !== low || this.high[slot] !== high)) slot = (slot + 1) & mask;
    return slot;
  }

  private put(slot: number, high: number, low: number, row: number, value: number): void {
    this.high[slot] = high;
    this.low[slot] = low;
    this.rows[slot] = row;
    this.values[slot] = value;
  }

  private grow(): void {
    const { high, low, rows, values } = this;
    this.capacity *= 2;
    this.high = new Uint32Array(this.capacity);
    this.low = new Uint32Array(this.capacity);
    this.rows = new Uint32Array(this.capacity);
    this.values = new Uint32Array(this.capacity);
    for (let from = 0; from < rows.length; from += 1) {
      if (rows[from] === 0) continue;
      this.put(this.slotOf(high[from]!, low[from]!), high[from]!, low[from]!, rows[from]!, values[from]!);
    }
  }
}

function hashOf(text: string): [high: number, low: number] {
  const bytes = hash('sha256', text, 'buffer');
  return [bytes.readUInt32LE(0), bytes.readUInt32LE(4)];
}

/** 32 bits of a text's hash. */
export const shortHash = (text: string): number => hashOf(text)[0];
