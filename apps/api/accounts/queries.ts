import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import type { ApiKeyDocument } from '#projections/api-keys/projection.js';

const MOST = 10_000;

export class ListApiKeys extends Query<readonly ApiKeyDocument[]> {
  constructor(readonly userId: string) {
    super();
  }
}

@QueryHandler(ListApiKeys)
export class ListApiKeysHandler implements IQueryHandler<ListApiKeys> {
  constructor(private readonly application: Application) {}

  /** The member's own that are not revoked, newest first. */
  execute({ userId }: ListApiKeys): Promise<readonly ApiKeyDocument[]> {
    return this.application.ports.readStore.find<ApiKeyDocument>('api-keys', {
      where: { userId, status: 'active' },
      order: { field: 'createdAt', direction: 'descending' },
      limit: MOST,
    });
  }
}
