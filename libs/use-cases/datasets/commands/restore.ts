import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import { DATASETS_VISIBLE_IN, datasetStreamId } from '#application/datasets.js';
import { datasetDecider, type DatasetVersion } from '#domain/dataset/index.js';
import { CallerCommand } from '../../commands-and-queries.js';

interface RestoreOrder {
  readonly name: string;
  /** Absent: all versions that were ready when they were deleted. */
  readonly version?: number | null;
}

export class RestoreVersions extends CallerCommand<RestoreOrder, readonly DatasetVersion[]> {}

@CommandHandler(RestoreVersions)
export class RestoreVersionsHandler implements ICommandHandler<RestoreVersions> {
  constructor(private readonly application: Application) {}

  /**
   * @returns the requested versions that are there now
   * @throws NotFoundError; ConflictError for what was not ready, or is removed for good
   */
  async execute({ caller, identity, input: { name, version } }: RestoreVersions): Promise<readonly DatasetVersion[]> {
    const requested = version ?? ('all' as const);
    const { state } = await this.application.execute(
      datasetDecider,
      datasetStreamId(caller.workspaceId, name),
      { type: 'restore-versions', name, requested },
      callerContext(caller, identity),
      DATASETS_VISIBLE_IN,
    );
    return state.versions.filter(
      ({ versionNumber, status }) => status !== 'deleted' && (requested === 'all' || versionNumber === requested),
    );
  }
}
