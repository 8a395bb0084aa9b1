import type { Catalog, CatalogEntry, CatalogView } from './catalog.js';

/** The account that views the catalog. */
interface Account {
  readonly teamId: string;
  readonly workspaceId: string;
}

/** Looks up an account's rollouts. */
interface AccountRollouts {
  rolloutsOf(account: Account): ReadonlySet<string> | Promise<ReadonlySet<string>>;
}

/** The catalog as a caller may see it. */
export class VisibleCatalog {
  constructor(
    private readonly catalog: Catalog,
    private readonly accounts: AccountRollouts,
  ) {}

  async for(account: Account): Promise<CatalogView> {
    return this.catalog.visibleTo(await this.accounts.rolloutsOf(account));
  }

  /**
   * The model with an id or an alias; null if there is none, or it is hidden from this account. Synchronous except for
   * hidden ones: other calls need not wait.
   */
  resolve(account: Account, id: string): CatalogEntry | null | Promise<CatalogEntry | null> {
    const entry = this.catalog.resolve(id);
    return entry?.hidden ? this.for(account).then((view) => view.resolve(id)) : entry;
  }
}
