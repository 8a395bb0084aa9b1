import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext, type Caller, type RequestIdentity } from '#application/caller.js';
import { datasetStreamId } from '#application/datasets.js';
import { eraseVersion } from '../../erasure/erasure.js';
import { HubTokens } from '#application/hub-tokens.js';
import {
  datasetDecider,
  type DatasetEvent,
  type DatasetVersion,
  type PinnedObject,
  type VersionRequest,
} from '#domain/dataset/index.js';
import { NotFoundError } from '#domain/errors.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { Learned } from '../../inferences/learned.js';
import { cite, LogReader } from '../../events/log-reader.js';
import { clearAway, presentVersions } from './deletion.js';
import type { DatasetErasure } from '#apps/api/routes/datasets/deletion/erasure-dto.js';

const IN_BACKUPS = 'rows in backups of the object store that were made before: this version was stored unencrypted';

/** Whether any file of the version had its rows in the open. */
function wasPlain(stage: object): boolean {
  const { source, object } = stage as { readonly source?: PinnedObject | null; readonly object?: PinnedObject };
  return [source, object].some((each) => each && each.stored === undefined);
}

/** Removes all stored data of a version, deleted before or not, at once and for good. */
export class EraseVersion extends Command<DatasetErasure> {
  constructor(
    readonly caller: Caller,
    readonly identity: RequestIdentity,
    readonly name: string,
    readonly requested: VersionRequest,
  ) {
    super();
  }
}

@CommandHandler(EraseVersion)
export class EraseVersionHandler implements ICommandHandler<EraseVersion> {
  private readonly tokens: HubTokens;

  constructor(
    private readonly application: Application,
    private readonly log: LogReader,
    private readonly learned: Learned,
    secret: SecretKey,
  ) {
    this.tokens = new HubTokens(application.ports.coordination, secret);
  }

  /** @throws ConflictError while a job or an evaluation uses it or a hold covers it, NotFoundError, ForbiddenError for a benchmark */
  async execute({ caller, identity, name, requested }: EraseVersion): Promise<DatasetErasure> {
    const { workspaceId } = caller;
    const before = await this.version(workspaceId, name, requested);
    const { versionId } = before;
    const stream = datasetStreamId(workspaceId, name);
    await eraseVersion(this.application, { workspaceId, stream, versionId }, callerContext(caller, identity));
    await clearAway(this.application, this.tokens, workspaceId, [before]);
    return this.certificate(workspaceId, before);
  }

  private async version(workspaceId: string, name: string, requested: VersionRequest): Promise<DatasetVersion> {
    if (requested === 'latest') return (await presentVersions(this.application, workspaceId, name)).at(-1)!;
    const { versions } = await this.application.load(datasetDecider, datasetStreamId(workspaceId, name));
    const found = versions.find(({ versionNumber }) => versionNumber === requested);
    if (found) return found;
    await presentVersions(this.application, workspaceId, name);
    throw new NotFoundError('dataset version', `${name}/${requested}`);
  }

  private async certificate(workspaceId: string, version: DatasetVersion): Promise<DatasetErasure> {
    const { versionId, name, versionNumber } = version;
    const stage = version.status === 'deleted' ? version.before : version;
    const [erased] = await this.log.events<DatasetEvent>(
      workspaceId,
      ['dataset', datasetStreamId(workspaceId, name)],
      ({ type, data }) => type === 'dataset-version-purged.v1' && data.versionId === versionId,
    );
    const { learned, remains } = await this.learned.ofVersion(workspaceId, versionId);
    return {
      object: 'dataset_erasure_certificate',
      ...{ name, version: versionNumber, version_id: versionId },
      rows: 'contents' in stage ? stage.contents.rows : null,
      sha256: 'object' in stage ? stage.object.sha256 : null,
      erased_at: erased!.metadata.occurredAt,
      erased_by: erased!.metadata.actor,
      keys: 'keys' in erased!.data ? erased!.data.keys : [],
      event: cite(erased!),
      learned,
      remains: wasPlain(stage) ? [...remains, IN_BACKUPS] : remains,
    };
  }
}
