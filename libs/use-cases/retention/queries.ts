import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import {
  DEFAULT_BOUNDS,
  retentionDecider,
  type RetentionBounds,
  type RetentionState,
} from '#domain/retention/index.js';
import { CallerQuery } from '../commands-and-queries.js';

/** What a workspace has set, and the operator's bounds, which hold before that. */
export interface Retention extends RetentionState {
  readonly bounds: RetentionBounds;
}

export class GetRetention extends CallerQuery<null, Retention> {}

@QueryHandler(GetRetention)
export class GetRetentionHandler implements IQueryHandler<GetRetention> {
  constructor(private readonly application: Application) {}

  async execute({ caller }: GetRetention): Promise<Retention> {
    const state = await this.application.load(retentionDecider, caller.workspaceId);
    return { ...state, bounds: boundsOf(this.application) };
  }
}

export const boundsOf = ({ deployment }: Application): RetentionBounds => deployment.retention ?? DEFAULT_BOUNDS;
