/** The load's definite outcomes: events, as `stream revision id`, by what must hold for them. */
export interface Said {
  /** Events that must be stored. */
  readonly stored: ReadonlySet<string>;
  /** Their stream was deleted since: none may be there. */
  readonly erased: ReadonlySet<string>;
  /** Their stream was being deleted when the load was killed: of each set, all must be there or none. */
  readonly either: readonly ReadonlySet<string>[];
  /** Ids of appends whose held event must be there, or else the append in its place. */
  readonly held: ReadonlySet<string>;
}

/** @param lines of the load's output, in order */
export function whatWasSaid(lines: readonly string[]): Said {
  const streams = new Map<string, { stored: Set<string>; either: Set<string>[] }>();
  const erased = new Set<string>();
  const held = new Set<string>();
  for (const line of lines) {
    const [what, stream, ...event] = line.split(' ') as [string, string, ...string[]];
    if (what === 'held') {
      held.add(stream);
      continue;
    }
    const said = streams.get(stream) ?? { stored: new Set(), either: [] };
    streams.set(stream, said);
    switch (what) {
      case 'stored':
        said.stored.add([stream, ...event].join(' '));
        break;
      case 'erasing':
        said.either.push(said.stored);
        said.stored = new Set();
        break;
      case 'erased':
        for (const events of said.either) for (const gone of events) erased.add(gone);
        said.either = [];
        break;
      default:
        throw new Error(`the load said ${JSON.stringify(line)}`);
    }
  }
  const all = [...streams.values()];
  return {
    stored: new Set(all.flatMap(({ stored }) => [...stored])),
    ...{ erased, held },
    either: all.flatMap(({ either }) => either),
  };
}
