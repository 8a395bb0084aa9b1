import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { AccountBook, type Account } from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import { standingNow } from '#application/billing/index.js';
import type { LimitName } from '#domain/team/index.js';
import type { Standing } from '#domain/ledger/index.js';
import type { LedgerDocument } from '#projections/ledger/projection.js';
import { pageOfLedger } from '#projections/ledger/queries.js';
import type { UsageDocument } from '#projections/usage/projection.js';
import { pageOfUsage } from '#projections/usage/queries.js';
import type { Page } from '#log/projector/documents.js';

interface AccountView {
  readonly account: Account;
  readonly month: string;
  readonly standing: Standing;
  /** Used amounts of the workspace's limits, if known. */
  readonly used: ReadonlyMap<LimitName, number>;
}

export class GetAccount extends Query<AccountView> {
  constructor(
    readonly teamId: string,
    readonly workspaceId: string,
  ) {
    super();
  }
}

@QueryHandler(GetAccount)
export class GetAccountHandler implements IQueryHandler<GetAccount> {
  constructor(
    private readonly application: Application,
    private readonly accounts: AccountBook,
  ) {}

  async execute({ teamId, workspaceId }: GetAccount): Promise<AccountView> {
    const [account, now, used] = await Promise.all([
      this.accounts.of(teamId),
      standingNow(this.application, teamId),
      this.used(workspaceId),
    ]);
    return { account, ...now, used };
  }

  private async used(workspaceId: string): Promise<ReadonlyMap<LimitName, number>> {
    const { storage } = this.application;
    const [{ bytes, rows }, openUploads] = await Promise.all([
      storage.used(workspaceId),
      storage.openUploads(workspaceId),
    ]);
    return new Map([
      ['stored_bytes', bytes],
      ['stored_rows', rows],
      ['open_uploads', openUploads],
    ]);
  }
}

export class ListUsage extends Query<Page<UsageDocument>> {
  constructor(
    readonly workspaceId: string,
    readonly page: { readonly limit: number; readonly offset: number },
    /** Days, both included. */
    readonly days: { readonly from?: string; readonly to?: string },
  ) {
    super();
  }
}

@QueryHandler(ListUsage)
export class ListUsageHandler implements IQueryHandler<ListUsage> {
  constructor(private readonly application: Application) {}

  /** Newest day first. */
  execute({ workspaceId, page, days }: ListUsage): Promise<Page<UsageDocument>> {
    return pageOfUsage(this.application.ports.readStore, workspaceId, days, page);
  }
}

export class ListLedger extends Query<Page<LedgerDocument>> {
  constructor(
    readonly teamId: string,
    readonly page: { readonly limit: number; readonly offset: number },
  ) {
    super();
  }
}

@QueryHandler(ListLedger)
export class ListLedgerHandler implements IQueryHandler<ListLedger> {
  constructor(private readonly application: Application) {}

  /** Newest first. */
  execute({ teamId, page }: ListLedger): Promise<Page<LedgerDocument>> {
    return pageOfLedger(this.application.ports.readStore, teamId, page);
  }
}
