import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { retentionDecider, type RetentionState } from '#domain/retention/index.js';

export class GetRetention {
  constructor(readonly caller: Caller) {}
}

@QueryHandler(GetRetention)
export class GetRetentionHandler implements IQueryHandler<GetRetention, RetentionState> {
  constructor(private readonly application: Application) {}

  execute({ caller }: GetRetention): Promise<RetentionState> {
    return this.application.load(retentionDecider, caller.workspaceId);
  }
}
