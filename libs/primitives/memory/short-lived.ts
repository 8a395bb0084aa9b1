/**
 * A set of objects that stay in it for a moment, as calls under way do. A `Set` or `Map` would cost memory and time: V8 replaces
 * its table after so many additions and links the old table to the new one. Once one of those dead tables is in the old
 * generation, scavenges take all later ones, and whatever stood in them, for alive until the next full collection.
 */
export class ShortLived<T> implements Iterable<T> {
  private readonly places: (T | undefined)[] = [];
  private readonly free: number[] = [];

  /** @returns its place, for `take`; a place that was left is given again */
  add(value: T): number {
    const place = this.free.pop() ?? this.places.length;
    this.places[place] = value;
    return place;
  }

  /** Removes what has a place, if it is still there. */
  take(place: number): T | undefined {
    const value = this.places[place];
    if (value === undefined) return undefined;
    this.places[place] = undefined;
    this.free.push(place);
    return value;
  }

  /** Removes all. @returns them */
  clear(): readonly T[] {
    const all = [...this];
    this.places.length = this.free.length = 0;
    return all;
  }

  get size(): number {
    return this.places.length - this.free.length;
  }

  *[Symbol.iterator](): IterableIterator<T> {
    for (const value of this.places) if (value !== undefined) yield value;
  }
}
