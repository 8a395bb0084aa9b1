import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import type { DatasetVersion } from '#domain/dataset/index.js';
import { versionsOf } from '#projections/dataset-versions/queries.js';
import { CallerQuery } from '../../commands-and-queries.js';
import { shownTo } from '../seen-versions.js';

interface DeletedVersion {
  /** As it was. */
  readonly version: DatasetVersion;
  readonly deletedAt: string;
}

/** Versions of the workspace that are deleted and can be restored, the last deleted first. */
export class ListDeletedVersions extends CallerQuery<null, readonly DeletedVersion[]> {}

@QueryHandler(ListDeletedVersions)
export class ListDeletedVersionsHandler implements IQueryHandler<ListDeletedVersions> {
  constructor(private readonly application: Application) {}

  async execute({ caller }: ListDeletedVersions): Promise<readonly DeletedVersion[]> {
    const versions = await versionsOf(this.application.ports.readStore, caller.workspaceId, true);
    return versions.flatMap((deleted) => {
      if (deleted.status !== 'deleted' || deleted.purgedAt !== undefined || deleted.before.status !== 'ready')
        return [];
      const { before, ...version } = deleted;
      return [{ version: shownTo(caller, { ...version, ...before }), deletedAt: deleted.updatedAt }];
    });
  }
}
