import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import { DATASETS_VISIBLE_IN, datasetStreamId } from '#application/datasets.js';
import {
  datasetDecider,
  versionById,
  type DatasetVersion,
  type GivenDescription,
  type VersionRequest,
} from '#domain/dataset/index.js';
import { InvalidError, NotFoundError } from '#domain/errors.js';
import { CallerCommand } from '../../commands-and-queries.js';
import { presentVersions } from './delete.js';

/** What people say of a version. Absent: it stays; null: there is none. */
export type DescriptionOrder = GivenDescription;

interface VersionToDescribe {
  readonly name: string;
  readonly version: VersionRequest;
  readonly description: DescriptionOrder;
}

export class DescribeVersion extends CallerCommand<VersionToDescribe, DatasetVersion> {}

@CommandHandler(DescribeVersion)
export class DescribeVersionHandler implements ICommandHandler<DescribeVersion> {
  constructor(private readonly application: Application) {}

  /**
   * @returns the version, described
   * @throws InvalidError for no field, NotFoundError, ForbiddenError for a benchmark, ConflictError for a full history
   */
  async execute({ caller, identity, input }: DescribeVersion): Promise<DatasetVersion> {
    const { name, version: requested, description } = input;
    const { workspaceId } = caller;
    if (Object.values(description).every((value) => value === undefined))
      throw new InvalidError({
        ...{ path: ['body'], type: 'missing' },
        message: 'must have at least one of `purpose`, `source`, `license`, `consent` and `guidelines`',
      });
    const present = await presentVersions(this.application, workspaceId, name);
    const version =
      requested === 'latest' ? present.at(-1) : present.find(({ versionNumber }) => versionNumber === requested);
    if (version === undefined) throw new NotFoundError('dataset version', `${name}/${requested}`);
    const { versionId } = version;
    const context = callerContext(caller, identity);
    const { state } = await this.application.execute(
      datasetDecider,
      datasetStreamId(workspaceId, name),
      { type: 'describe-version', workspaceId, versionId, description, by: context.actor },
      context,
      DATASETS_VISIBLE_IN,
    );
    return versionById(state, versionId, workspaceId);
  }
}
