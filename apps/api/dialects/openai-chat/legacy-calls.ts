/** Assigns ids to the calls of `functions`, which had none, and to their results: one call at a time. */
export class LegacyCalls {
  private calls = 0;
  private readonly open = new Map<string, string>();

  called(name: string): string {
    const id = `function_call_${this.calls}`;
    this.calls += 1;
    this.open.set(name, id);
    return id;
  }

  /** The id of the latest call of that function. */
  answered(name: string): string {
    return this.open.get(name) ?? this.called(name);
  }
}
