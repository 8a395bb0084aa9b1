import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { AccountBook, type Account } from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { standingNow } from '#application/billing/index.js';
import type { LimitName } from '#domain/team/index.js';
import type { Standing } from '#domain/ledger/index.js';
import type { LedgerDocument } from '#projections/ledger/projection.js';
import { pageOfLedger } from '#projections/ledger/queries.js';
import type { UsageDocument } from '#projections/usage/projection.js';
import { pageOfUsage } from '#projections/usage/queries.js';
import type { Page, PageRequest } from '#log/projector/documents.js';
import { CallerQuery } from '../commands-and-queries.js';

interface AccountView {
  readonly account: Account;
  readonly month: string;
  readonly standing: Standing;
  /** Used amounts of the workspace's limits, if known. */
  readonly used: ReadonlyMap<LimitName, number>;
}

export class GetAccount extends Query<AccountView> {
  constructor(readonly caller: Caller) {
    super();
  }
}

@QueryHandler(GetAccount)
export class GetAccountHandler implements IQueryHandler<GetAccount> {
  constructor(
    private readonly application: Application,
    private readonly accounts: AccountBook,
  ) {}

  async execute({ caller: { teamId, workspaceId } }: GetAccount): Promise<AccountView> {
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

interface UsageRequest extends PageRequest {
  /** Days, both included. */
  readonly from?: string;
  readonly to?: string;
}

/** The workspace's calls by day, newest day first. */
export class ListUsage extends CallerQuery<UsageRequest, Page<UsageDocument>> {}

@QueryHandler(ListUsage)
export class ListUsageHandler implements IQueryHandler<ListUsage> {
  constructor(private readonly application: Application) {}

  execute({ caller: { workspaceId }, input: { limit, offset, ...days } }: ListUsage): Promise<Page<UsageDocument>> {
    return pageOfUsage(this.application.ports.readStore, workspaceId, days, { limit, offset });
  }
}

/** The entries of the team's ledger, newest first. */
export class ListLedger extends CallerQuery<PageRequest, Page<LedgerDocument>> {}

@QueryHandler(ListLedger)
export class ListLedgerHandler implements IQueryHandler<ListLedger> {
  constructor(private readonly application: Application) {}

  execute({ caller: { teamId }, input: page }: ListLedger): Promise<Page<LedgerDocument>> {
    return pageOfLedger(this.application.ports.readStore, teamId, page);
  }
}
