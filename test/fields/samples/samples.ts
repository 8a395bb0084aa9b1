type Bodies = Readonly<Record<string, object>>;

/** Requests that show what becomes of each field of a dialect. */
export interface Samples {
  /** Fields that every request has beside its own. */
  readonly base: object;
  /** By path: a request with the field, whose value has an effect. */
  readonly bodies: Bodies;
  /** The kind of the item that stands for all others, by paths that end with `[*]`. */
  readonly kinds?: Readonly<Record<string, string>>;
  /** Values of translated fields, where they change. */
  readonly becomes?: Readonly<Record<string, readonly unknown[]>>;
  /** Paths whose values only an earlier answer gives: the specs of that dialect ask with them. */
  readonly elsewhere?: readonly string[];
  /** The word by which errors and headers name a field, where it is not the last of its path. */
  readonly named?: Readonly<Record<string, string>>;
}
