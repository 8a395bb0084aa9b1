/** The calls of a conversation that no result has answered yet, for clients that keep calls without ids. */
export class OpenCalls {
  /** Names by ids, in the order of the calls. */
  private readonly names = new Map<string, unknown>();
  private readonly ids = new Map<unknown, Set<string>>();

  /** @param place of the call in the conversation: the id of one that has none */
  called(given: unknown, place: string, name: unknown): unknown {
    const id = isMissing(given) ? `call_${place}` : textOf(given);
    if (typeof id !== 'string') return id;
    this.names.set(id, name);
    this.ids.set(name, (this.ids.get(name) ?? new Set()).add(id));
    return id;
  }

  /** The id of the call that a result answers: without an id the first one, of that tool if the result names it. */
  answered(given: unknown, name: unknown): unknown {
    const id = isMissing(given)
      ? (first(this.ids.get(name) ?? []) ?? first(this.names.keys()) ?? given)
      : textOf(given);
    if (typeof id !== 'string') return id;
    this.ids.get(this.names.get(id))?.delete(id);
    this.names.delete(id);
    return id;
  }
}

const first = ([id]: Iterable<string>): string | undefined => id;

/** Some clients number their calls. */
const textOf = (id: unknown): unknown => (typeof id === 'number' ? String(id) : id);

const isMissing = (id: unknown): boolean => id === undefined || id === null || id === '';

/** Arguments of a call as JSON text: some clients keep them parsed, or keep none. */
export function argumentsText(given: unknown): unknown {
  if (given === undefined || given === null) return '{}';
  return typeof given === 'object' && !Array.isArray(given) ? JSON.stringify(given) : given;
}
