/** Adapters that could not be loaded when a call last needed them, until a call succeeds. */
export class FailedModels {
  /** Ids, those that failed first at the front. */
  private readonly failed = new Set<string>();

  constructor(
    /** Beyond this number, the earliest failures are left out. */
    private readonly most: number,
    /** Called when an adapter fails or recovers. */
    private readonly onChange: () => void,
  ) {}

  has(id: string): boolean {
    return this.failed.has(id);
  }

  ids(): readonly string[] {
    return [...this.failed];
  }

  add(id: string): void {
    if (this.failed.has(id)) return;
    this.failed.add(id);
    if (this.failed.size > this.most) this.failed.delete(this.ids()[0]!);
    this.onChange();
  }

  /** The adapter served a call, or was deleted. */
  recover(id: string): void {
    if (this.failed.delete(id)) this.onChange();
  }
}
