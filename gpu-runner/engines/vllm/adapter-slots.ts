import type { LoraRoutes } from './lora-routes.js';

/** An adapter, by its name at the server and by its folder as the server sees it. */
export interface ServedAdapter {
  readonly name: string;
  readonly path: string;
}

interface Entry {
  /** null until the first call has its place. */
  loaded: Promise<void> | null;
  /** Calls that use it: it is not unloaded to make room. */
  users: number;
  /** Unloaded after its last call. */
  isForgotten: boolean;
}

/** The place of one call on a loaded adapter. */
export interface AdapterSlot {
  /** The server no longer knows the adapter: the next call loads it again. */
  lost(): void;
  leave(): void;
}

/**
 * The adapters loaded in a server: up to a limit, the least recently used is unloaded first. Adapters in use stay, so
 * the server may have more of them while more are in use; it then swaps them itself.
 */
export class AdapterSlots {
  /** By name, least recently used first. */
  private readonly entries = new Map<string, Entry>();

  constructor(
    private readonly most: number,
    private readonly routes: Pick<LoraRoutes, 'load' | 'unload'>,
  ) {}

  /** Resolves once the server has the adapter. @throws EngineUnavailableError */
  async take(adapter: ServedAdapter): Promise<AdapterSlot> {
    const { name } = adapter;
    const entry = this.entries.get(name) ?? { loaded: null, users: 0, isForgotten: false };
    this.entries.delete(name);
    this.entries.set(name, entry);
    entry.users += 1;
    const place = this.placeOn(name, entry);
    try {
      await (entry.loaded ??= this.load(adapter));
      return place;
    } catch (error) {
      place.lost();
      place.leave();
      throw error;
    }
  }

  /** Takes an adapter from the server, at once or after its last call. */
  async forget(name: string): Promise<void> {
    const entry = this.entries.get(name);
    if (!entry) return;
    this.entries.delete(name);
    if (entry.users === 0) await this.routes.unload(name);
    else entry.isForgotten = true;
  }

  private placeOn(name: string, entry: Entry): AdapterSlot {
    let isLeft = false;
    return {
      lost: () => {
        if (this.entries.get(name) === entry) this.entries.delete(name);
      },
      leave: () => {
        if (isLeft) return;
        isLeft = true;
        entry.users -= 1;
        if (entry.users > 0) return;
        if (entry.isForgotten) void this.routes.unload(name);
        else void this.makeRoom();
      },
    };
  }

  private async load({ name, path }: ServedAdapter): Promise<void> {
    await this.makeRoom();
    await this.routes.load(name, path);
  }

  private async makeRoom(): Promise<void> {
    const idle = [...this.entries].filter(([, { users }]) => users === 0);
    const leaving = idle.slice(0, Math.max(0, this.entries.size - this.most));
    for (const [name] of leaving) this.entries.delete(name);
    await Promise.all(leaving.map(([name]) => this.routes.unload(name)));
  }
}
