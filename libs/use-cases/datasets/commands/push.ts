import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import { datasetStreamId, seenReadableVersion } from '#application/datasets.js';
import { datasetDecider, refuseFullHistory, type VersionPushed } from '#domain/dataset/index.js';
import { ForbiddenError, UnavailableError } from '#domain/errors.js';
import { StoredBlob } from '#models/hub/index.js';
import { HubConnection } from '../hub-connection.js';
import { CallerCommand } from '../../commands-and-queries.js';
import type { NamedVersion } from '../seen-versions.js';
import { requireWholeRows } from '../whole-rows.js';

/** Limit for the whole upload. */
export const PUSH_MS = 30 * 60 * 1000;
/** The path where the hub's viewer and the `datasets` library look for rows. */
const PATH = 'data/train.jsonl';

interface PushOrder extends NamedVersion {
  readonly repo_id: string;
  /** With write access. */
  readonly hf_token: string;
  /** Whether a repository that the push creates is private; null or absent: true. */
  readonly private?: boolean | null;
  readonly commit_message?: string | null;
}

export class PushVersion extends CallerCommand<PushOrder, VersionPushed> {}

@CommandHandler(PushVersion)
export class PushVersionHandler implements ICommandHandler<PushVersion> {
  constructor(
    private readonly application: Application,
    private readonly connection: HubConnection,
  ) {}

  /**
   * Pushes the rows as JSONL in one commit; repeating it with the same rows changes nothing.
   * @throws NotFoundError, ConflictError naming the version's state, ForbiddenError for a benchmark, DamagedError
   * @throws InvalidError, UnavailableError as the hub answers
   */
  async execute({ caller, identity, input: order }: PushVersion): Promise<VersionPushed> {
    const { name } = order;
    const { workspaceId } = caller;
    const stream = datasetStreamId(workspaceId, name);
    const known = await this.application.recall(datasetDecider, stream, identity);
    if (known?.lastPush) return known.lastPush;
    const version = await seenReadableVersion(this.application, { workspaceId, name, version: order.version });
    if (version.kind === 'benchmark')
      throw new ForbiddenError(`dataset ${JSON.stringify(name)} is a benchmark, which cannot be pushed to a hub`);
    // A push that cannot be recorded does not begin.
    refuseFullHistory(name, await this.application.load(datasetDecider, stream));
    await requireWholeRows(this.application.ports.objectStore, version);
    const { key, size } = version.object;
    const signal = AbortSignal.timeout(PUSH_MS);
    const { versionId, versionNumber } = version;
    const upload = {
      repoId: order.repo_id,
      token: order.hf_token,
      isPrivate: order.private ?? true,
      title: order.commit_message ?? `${name}, version ${versionNumber}`,
      path: PATH,
      content: new StoredBlob(this.application.ports.objectStore, key, 0, size),
    };
    const pushed = await this.connection.hub.push(upload, signal).catch((error: unknown) => {
      throw signal.aborted ? new UnavailableError('the hub took too long; nothing has been committed there') : error;
    });
    const push = { versionId, repoId: order.repo_id, ...pushed };
    const command = { type: 'record-push', workspaceId, ...push } as const;
    const { state } = await this.application.execute(datasetDecider, stream, command, callerContext(caller, identity));
    return state.lastPush!;
  }
}
