import { shown, type Reader } from '#primitives/reader.js';

/** Names that a corrected output may add to those of the call. */
export class NewLabels {
  private readonly used = new Set<string>();

  constructor(private readonly names: readonly string[] | 'any') {}

  get found(): readonly string[] {
    return [...this.used];
  }

  /** Whether a name was requested, or is declared as new. */
  allow(name: string, asked: ReadonlySet<string> | null): boolean {
    const isAsked = asked?.has(name) ?? true;
    // A call whose labels are unknown has requested none in particular.
    if (this.names === 'any' ? !isAsked : (!isAsked || asked === null) && this.names.includes(name))
      this.used.add(name);
    return isAsked || this.used.has(name);
  }

  refuseUnused(reader: Reader, field: string): void {
    for (const [index, name] of (this.names === 'any' ? [] : this.names).entries())
      if (!this.used.has(name))
        reader.refuse(
          ['new_labels', index],
          `${shown(name)} is no new label in ${field}; name labels of it that the call did not ask for`,
          'not_allowed',
        );
  }
}
