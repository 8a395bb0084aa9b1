import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { retentionDecider, type RetentionState } from '#domain/retention/index.js';

export class GetRetention extends Query<RetentionState> {
  constructor(readonly caller: Caller) {
    super();
  }
}

@QueryHandler(GetRetention)
export class GetRetentionHandler implements IQueryHandler<GetRetention> {
  constructor(private readonly application: Application) {}

  execute({ caller }: GetRetention): Promise<RetentionState> {
    return this.application.load(retentionDecider, caller.workspaceId);
  }
}
