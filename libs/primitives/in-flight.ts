/**
 * Items in flight, such as calls, each in a numbered place. A `Set` or `Map` that items enter and leave as fast keeps dead ones alive until
 * the next full collection: V8 links the table that it outgrew to its successor, so a dead table of the old generation holds all later ones.
 */
export class InFlight<Item extends object> {
  private readonly places: (Item | null)[] = [];
  private readonly free: number[] = [];

  get size(): number {
    return this.places.length - this.free.length;
  }

  /** @returns the item's place, until it is taken */
  add(item: Item): number {
    const place = this.free.pop() ?? this.places.length;
    this.places[place] = item;
    return place;
  }

  /** Removes what is at a place. @returns null if there was nothing */
  take(place: number): Item | null {
    const item = this.places[place] ?? null;
    if (item === null) return null;
    this.places[place] = null;
    this.free.push(place);
    return item;
  }

  /** What is in flight now. */
  all(): readonly Item[] {
    return this.places.filter((item) => item !== null);
  }
}
