type Numbers =
  | Int8Array<ArrayBuffer>
  | Float32Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>;

/** A typed array that grows at its end. */
export class Growing<A extends Numbers> {
  private array: A;
  private count = 0;

  constructor(private readonly type: new (length: number) => A) {
    this.array = new type(1024);
  }

  get length(): number {
    return this.count;
  }

  push(value: number): void {
    if (this.count === this.array.length) {
      const next = new this.type(this.count * 2);
      next.set(this.array);
      this.array = next;
    }
    this.array[this.count++] = value;
  }

  /** A copy of the pushed values, of exactly that length. */
  take(): A {
    return this.array.slice(0, this.count) as A;
  }
}
