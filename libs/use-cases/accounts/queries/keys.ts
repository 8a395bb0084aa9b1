import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { budgetStanding, type BudgetStanding } from '#application/billing/index.js';
import type { ApiKeyDocument } from '#projections/api-keys/projection.js';
import { activeKeysOf } from '#projections/api-keys/queries.js';

export interface ListedKey {
  readonly key: ApiKeyDocument;
  /** null: the key has no budget. */
  readonly budget: BudgetStanding | null;
}

export class ListApiKeys extends Query<readonly ListedKey[]> {
  constructor(readonly userId: string) {
    super();
  }
}

@QueryHandler(ListApiKeys)
export class ListApiKeysHandler implements IQueryHandler<ListApiKeys> {
  constructor(private readonly application: Application) {}

  /** The member's own that are not revoked, newest first. */
  async execute({ userId }: ListApiKeys): Promise<readonly ListedKey[]> {
    const keys = await activeKeysOf(this.application.ports.readStore, userId, 'descending');
    return Promise.all(
      keys.map(async (key) => ({ key, budget: await budgetStanding(this.application, key.id, key.limits ?? {}) })),
    );
  }
}
