import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import { datasetStreamId } from '#application/datasets.js';
import { eraseVersion } from '../../erasure/erasure.js';
import { HubTokens } from '#application/hub-tokens.js';
import {
  datasetDecider,
  isQuotedOpenly,
  type DatasetEvent,
  type DatasetVersion,
  type PinnedObject,
} from '#domain/dataset/index.js';
import { NotFoundError } from '#domain/errors.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { Learned, type Handed } from '../../inferences/learned.js';
import { LogReader, type Recorded } from '../../events/log-reader.js';
import { clearAway, presentVersions } from './delete.js';
import { CallerCommand, type Act } from '../../commands-and-queries.js';
import type { NamedVersion } from '../seen-versions.js';

const IN_BACKUPS = 'rows in backups of the object store that were made before: this version was stored unencrypted';

/** Whether any file of the version had its rows in the open. */
function wasPlain(stage: object): boolean {
  const { source, object } = stage as { readonly source?: PinnedObject | null; readonly object?: PinnedObject };
  return [source, object].some((each) => each && each.stored === undefined);
}

const IN_LOG = 'quotes of invalid rows in the event log and its backups: the log has them unencrypted';

type Purged = Extract<DatasetEvent, { type: 'dataset-version-purged.v1' }>;

export interface ErasedVersion extends Pick<Handed, 'learned' | 'remains'> {
  readonly version: DatasetVersion;
  /** null: it was never ready. */
  readonly rows: number | null;
  readonly sha256: string | null;
  /** The event that records the erasure. */
  readonly event: Recorded<Purged>;
}

/** Removes all stored data of a version, deleted before or not, at once and for good. */
export class EraseVersion extends CallerCommand<NamedVersion, ErasedVersion> {
  static override actOf({ name, version }: NamedVersion): Act {
    return { kind: 'erase', command: 'erase-version', about: `erase version ${version} of dataset ${name}` };
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
  async execute({ caller, identity, input }: EraseVersion): Promise<ErasedVersion> {
    const { name } = input;
    const { workspaceId } = caller;
    const before = await this.version(workspaceId, input);
    const { versionId } = before;
    const stream = datasetStreamId(workspaceId, name);
    await eraseVersion(this.application, { workspaceId, stream, versionId }, callerContext(caller, identity));
    await clearAway(this.application, this.tokens, workspaceId, [before]);
    return this.erased(workspaceId, before);
  }

  private async version(workspaceId: string, { name, version: requested }: NamedVersion): Promise<DatasetVersion> {
    if (requested === 'latest') return (await presentVersions(this.application, workspaceId, name)).at(-1)!;
    const { versions } = await this.application.load(datasetDecider, datasetStreamId(workspaceId, name));
    const found = versions.find(({ versionNumber }) => versionNumber === requested);
    if (found) return found;
    await presentVersions(this.application, workspaceId, name);
    throw new NotFoundError('dataset version', `${name}/${requested}`);
  }

  private async erased(workspaceId: string, version: DatasetVersion): Promise<ErasedVersion> {
    const { versionId, name } = version;
    const stage = version.status === 'deleted' ? version.before : version;
    const [event] = await this.log.events<Purged>(
      workspaceId,
      ['dataset', datasetStreamId(workspaceId, name)],
      ({ type, data }) => type === 'dataset-version-purged.v1' && data.versionId === versionId,
    );
    const { learned, remains } = await this.learned.ofVersion(workspaceId, versionId);
    return {
      version,
      rows: 'contents' in stage ? stage.contents.rows : null,
      sha256: 'object' in stage ? stage.object.sha256 : null,
      event: event!,
      learned,
      remains: [...remains, ...(wasPlain(stage) ? [IN_BACKUPS] : []), ...(isQuotedOpenly(version) ? [IN_LOG] : [])],
    };
  }
}
