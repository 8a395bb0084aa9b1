import { ofEachKind, TOKENS } from '#domain/inference/index.js';
import type { CatalogEntry, CatalogFile, CatalogFileEntry } from './entry.js';

export type { CatalogEntry } from './entry.js';

/** The models that can be called or trained here, and the other ids they are known by. */
export class Catalog {
  private listed: Listed;

  constructor({ models, aliases = {} }: CatalogFile) {
    const entries = models.map(complete);
    const byId = new Map(entries.map((entry) => [entry.id, entry]));
    this.listed = { entries, byId, aliases: new Map(Object.entries(aliases)) };
  }

  /** Entries in the file's order, without aliases. */
  get entries(): readonly CatalogEntry[] {
    return this.listed.entries;
  }

  /** Lists the models of another catalog from now on. */
  replaceBy({ listed }: Catalog): void {
    this.listed = listed;
  }

  /** The model with an id, an alias, or a dated form of either (`name-2026-11-20`); null if there is none. */
  resolve(id: string): CatalogEntry | null {
    return this.named(id) ?? this.named(undated(id));
  }

  private named(id: string): CatalogEntry | null {
    const { byId, aliases } = this.listed;
    return byId.get(aliases.get(id) ?? id) ?? null;
  }

  /** The id of a model and its aliases. */
  namesOf({ id }: Pick<CatalogEntry, 'id'>): readonly string[] {
    return [id, ...[...this.listed.aliases].flatMap(([alias, of]) => (of === id ? [alias] : []))];
  }

  /** The catalog for an account with these rollouts. */
  visibleTo(rollouts: ReadonlySet<string>): CatalogView {
    return new CatalogView(this, rollouts);
  }

  /** The models that pass, with their aliases. */
  filter(passes: (entry: CatalogEntry) => boolean): Catalog {
    const models = this.entries.filter(passes);
    const ids = new Set(models.map(({ id }) => id));
    return new Catalog({
      models,
      aliases: Object.fromEntries([...this.listed.aliases].filter(([, id]) => ids.has(id))),
    });
  }
}

interface Listed {
  readonly entries: readonly CatalogEntry[];
  readonly byId: ReadonlyMap<string, CatalogEntry>;
  readonly aliases: ReadonlyMap<string, string>;
}

/** The catalog as one workspace sees it. */
export class CatalogView {
  constructor(
    private readonly catalog: Catalog,
    private readonly rollouts: ReadonlySet<string>,
  ) {}

  /** Entries in the file's order, without hidden ones. */
  get entries(): readonly CatalogEntry[] {
    return this.catalog.entries.filter((entry) => this.sees(entry));
  }

  /** As `Catalog.resolve`, but does not find hidden models. */
  resolve(id: string): CatalogEntry | null {
    const entry = this.catalog.resolve(id);
    return entry && this.sees(entry) ? entry : null;
  }

  /** As `Catalog.namesOf`. */
  namesOf(entry: Pick<CatalogEntry, 'id'>): readonly string[] {
    return this.catalog.namesOf(entry);
  }

  /** Whether the account may see the prices of this model. */
  seesPricesOf(entry: CatalogEntry): boolean {
    return !entry.gated || this.has(entry);
  }

  private sees(entry: CatalogEntry): boolean {
    return !entry.hidden || this.has(entry);
  }

  private has({ rollout }: CatalogEntry): boolean {
    return rollout !== null && this.rollouts.has(rollout);
  }
}

function complete(model: CatalogFileEntry): CatalogEntry {
  const entry = { ...model };
  for (const { multiplier } of TOKENS) Reflect.deleteProperty(entry, multiplier);
  return {
    ...entry,
    ...ofEachKind(
      'price',
      ({ price, multiplier, partOf }) =>
        model[price] ?? times(model[`${partOf}_price_per_million`], model[multiplier] ?? 1),
    ),
    multilingual: model.multilingual ?? false,
    instruct: model.instruct ?? true,
    release_month: model.release_month ?? null,
    deprecated: model.deprecated ?? false,
    hidden: model.hidden ?? false,
    gated: model.gated ?? false,
    rollout: model.rollout ?? null,
    provider: model.provider ?? null,
    blocked_regions: model.blocked_regions ?? [],
  };
}

/** 0.1 of 3 dollars is 0.3, not 0.30000000000000004. */
const times = (price: number, multiplier: number): number => Number((price * multiplier).toPrecision(12));

/** Removes a final date such as `-2026-11-20`, `-20261120` or `@20261120`. */
function undated(id: string): string {
  const match = /^(.+)[-@](\d{4})(-?)(\d{2})\3(\d{2})$/.exec(id);
  if (!match) return id;
  const [, name = id, year, , month, day] = match;
  const date = `${year}-${month}-${day}`;
  const time = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(date) ? name : id;
}
