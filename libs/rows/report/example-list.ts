import { MAX_EXAMPLES, type Examples } from './report.js';

/** Counts all entries, and keeps the first. */
export class ExampleList<T> {
  private total = 0;
  private readonly shown: T[] = [];

  constructor(private readonly max = MAX_EXAMPLES) {}

  add(entry: T): void {
    this.total += 1;
    if (this.shown.length < this.max) this.shown.push(entry);
  }

  list(): Examples<T> {
    return { total: this.total, shown: this.shown };
  }
}
