import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import { DATASETS_VISIBLE_IN, datasetStreamId, isBenchmark } from '#application/datasets.js';
import { purgeBeyondQuota } from '#application/storage/index.js';
import { HubTokens } from '#application/hub-tokens.js';
import { datasetDecider, type DatasetVersion } from '#domain/dataset/index.js';
import { ForbiddenError, NotFoundError } from '#domain/errors.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { CallerCommand, type Act } from '../../commands-and-queries.js';
import type { NamedVersion } from '../seen-versions.js';

export class DeleteVersion extends CallerCommand<NamedVersion, DatasetVersion> {
  static override actOf({ name, version }: NamedVersion): Act {
    return { kind: 'delete', command: 'delete-version', about: `delete version ${version} of dataset ${name}` };
  }
}

@CommandHandler(DeleteVersion)
export class DeleteVersionHandler implements ICommandHandler<DeleteVersion> {
  private readonly tokens: HubTokens;

  constructor(
    private readonly application: Application,
    secret: SecretKey,
  ) {
    this.tokens = new HubTokens(application.ports.coordination, secret);
  }

  /**
   * Deletes softly: results that used it remain, and the operator can restore it.
   * @returns the version as it was
   * @throws ConflictError while a job or an evaluation uses it, NotFoundError, ForbiddenError for a benchmark
   */
  async execute({ caller, identity, input }: DeleteVersion): Promise<DatasetVersion> {
    const { name, version: requested } = input;
    const { workspaceId } = caller;
    const present = await presentVersions(this.application, workspaceId, name);
    const version =
      requested === 'latest' ? present.at(-1) : present.find(({ versionNumber }) => versionNumber === requested);
    if (version === undefined) throw new NotFoundError('dataset version', `${name}/${requested}`);
    await this.application.execute(
      datasetDecider,
      datasetStreamId(workspaceId, name),
      { type: 'delete-version', workspaceId, versionId: version.versionId },
      callerContext(caller, identity),
      DATASETS_VISIBLE_IN,
    );
    await clearAway(this.application, this.tokens, workspaceId, [version]);
    return version;
  }
}

export class DeleteDataset extends CallerCommand<string, number> {
  static override actOf(name: string): Act {
    return { kind: 'delete', command: 'delete-dataset', about: `delete dataset ${name}` };
  }
}

@CommandHandler(DeleteDataset)
export class DeleteDatasetHandler implements ICommandHandler<DeleteDataset> {
  private readonly tokens: HubTokens;

  constructor(
    private readonly application: Application,
    secret: SecretKey,
  ) {
    this.tokens = new HubTokens(application.ports.coordination, secret);
  }

  /** Deletes all versions or, if one is in use, none. @returns their number */
  async execute({ caller, identity, input: name }: DeleteDataset): Promise<number> {
    const { workspaceId } = caller;
    const present = await presentVersions(this.application, workspaceId, name);
    await this.application.execute(
      datasetDecider,
      datasetStreamId(workspaceId, name),
      { type: 'delete-dataset', name },
      callerContext(caller, identity),
      DATASETS_VISIBLE_IN,
    );
    await clearAway(this.application, this.tokens, workspaceId, present);
    return present.length;
  }
}

/** Best effort: the versions are deleted, and the next deletion makes the room that this one did not. */
export async function clearAway(
  application: Application,
  tokens: HubTokens,
  workspaceId: string,
  versions: readonly DatasetVersion[],
): Promise<void> {
  await Promise.allSettled([
    forgetTokens(tokens, versions),
    ...versions.map(({ versionId }) => application.storage.forget(workspaceId, versionId)),
    ...versions
      .filter(({ status }) => status === 'initialized')
      .map(({ uploadKey }) => application.ports.objectStore.delete(uploadKey)),
    purgeBeyondQuota(application, workspaceId),
  ]);
}

/** Drops tokens of pulls that were deleted. Best effort: a token lasts at most a day. */
async function forgetTokens(tokens: HubTokens, versions: readonly DatasetVersion[]): Promise<void> {
  const fetched = versions.filter((version) => version.status === 'importing' && version.from.withToken);
  await Promise.allSettled(fetched.map(({ versionId }) => tokens.forget(versionId)));
}

/** The undeleted versions of the workspace's own dataset, oldest first; at least one. */
export async function presentVersions(
  application: Application,
  workspaceId: string,
  name: string,
): Promise<readonly DatasetVersion[]> {
  const { versions } = await application.load(datasetDecider, datasetStreamId(workspaceId, name));
  const present = versions.filter(({ status }) => status !== 'deleted');
  if (present.length > 0) return present;
  if (await isBenchmark(application, name))
    throw new ForbiddenError(`dataset ${JSON.stringify(name)} is a benchmark: only the operator deletes it`);
  throw new NotFoundError('dataset', name);
}
