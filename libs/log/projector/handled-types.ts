/** Number of versions above the highest handled one that are read too, in case a later release wrote them. */
const LOOK_AHEAD = 5;

/** The event types that a projection handles, and the other versions of those types, which stop it. */
export class HandledTypes {
  private readonly handled: ReadonlySet<string>;
  private readonly kinds: ReadonlySet<string>;
  /** Types that are not handled, and whether each is an unknown version of a handled one. */
  private readonly unknown = new Map<string, boolean>();

  /** @param on handlers by event type: `Projection.on`, `ProcessManager.on` */
  constructor(on: object) {
    const types = Object.keys(on);
    this.handled = new Set(types);
    this.kinds = new Set(types.map((type) => split(type).kind));
  }

  has(type: string): boolean {
    return this.handled.has(type);
  }

  /** Handled, or a version of a handled type that is unknown here. */
  concern(type: string): boolean {
    return this.handled.has(type) || this.isUnknownVersion(type);
  }

  isUnknownVersion(type: string): boolean {
    if (this.handled.has(type)) return false;
    let unknown = this.unknown.get(type);
    if (unknown === undefined) this.unknown.set(type, (unknown = this.kinds.has(split(type).kind)));
    return unknown;
  }

  /** The types to request from the log, including versions that a later release may have written. */
  toRead(): readonly string[] {
    const types = new Set(this.handled);
    for (const kind of this.kinds) {
      const known = [...this.handled].map(split).filter((type) => type.kind === kind);
      const highest = Math.max(...known.map((type) => type.version));
      for (let version = 1; version <= highest + LOOK_AHEAD; version += 1) types.add(`${kind}.v${version}`);
    }
    return [...types];
  }
}

export const UNKNOWN_EVENT_VERSION = 'unknown_event_version';

/** A handled type in a version that this release does not know: going on would build a wrong read model. */
export class UnknownEventVersionError extends Error {
  override readonly name = 'UnknownEventVersionError';
  readonly code = UNKNOWN_EVENT_VERSION;
  constructor(
    readonly projection: string,
    readonly type: string,
    readonly position: string,
  ) {
    super(
      `${projection} handles ${split(type).kind} but not its version ${split(type).version}, which stands at ${position}: ` +
        'start a release that knows it',
    );
  }
}

function split(type: string): { readonly kind: string; readonly version: number } {
  const match = /^(.*)\.v(\d+)$/.exec(type);
  return match ? { kind: match[1]!, version: Number(match[2]) } : { kind: type, version: 0 };
}
