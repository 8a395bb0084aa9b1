import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import type { ApiKeyDocument } from '#projections/api-keys/projection.js';
import { activeKeysOf } from '#projections/api-keys/queries.js';

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
    return activeKeysOf(this.application.ports.readStore, userId, 'descending');
  }
}
