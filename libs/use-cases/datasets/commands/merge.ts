import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Application } from '#application/application.js';
import { callerContext, type Caller, type RequestIdentity } from '#application/caller.js';
import { DATASETS_VISIBLE_IN, datasetStreamId, loadVersion, seenReadableVersion } from '#application/datasets.js';
import {
  datasetDecider,
  type DatasetState,
  type DatasetVersion,
  type MergeSource,
  type ReadyVersion,
} from '#domain/dataset/index.js';
import { ConflictError, InvalidError, UnavailableError } from '#domain/errors.js';
import { streamName } from '#domain/streams.js';
import type { Position } from '#ports/event-store/port.js';
import { WorkQueues } from '../../limits/work-queues.js';
import { allChecks } from '../../all-checks.js';
import { versionOf } from '../version-of.js';
import { CallerCommand } from '../../commands-and-queries.js';
import { mergedContents, mergedType } from '../merged-contents.js';
import { requireOwnName } from '../own-name.js';

/** Shorter than a connection's idle limit. A longer merge continues, and clients poll for it. */
const MAX_WAIT_MS = 90_000;
const MAX_STEP_MS = 250;

interface MergeOrder {
  readonly sources: readonly { readonly dataset_name: string; readonly version?: string | number | null }[];
  readonly output_name: string;
}

interface MergedVersion {
  readonly version: DatasetVersion;
  readonly sources: readonly MergeSource[];
}

export class MergeDatasets extends CallerCommand<MergeOrder, MergedVersion> {}

@CommandHandler(MergeDatasets)
export class MergeDatasetsHandler implements ICommandHandler<MergeDatasets> {
  constructor(
    private readonly application: Application,
    private readonly queues: WorkQueues,
  ) {}

  /**
   * Creates a version with the present rows of others, in order: rows never change, and a deleted version's rows stay.
   * A worker copies them; even if it dies, the version becomes ready or failed.
   * @throws InvalidError, NotFoundError, ConflictError for unfit sources
   */
  async execute({ caller, identity, input: body }: MergeDatasets): Promise<MergedVersion> {
    const stream = datasetStreamId(caller.workspaceId, body.output_name);
    const known = await this.application.recall(datasetDecider, stream, identity);
    const { versionId, sources } = begunIn(known ?? (await this.begin(caller, identity, body, stream)));
    return { version: await this.done(stream, versionId), sources };
  }

  private async begin(caller: Caller, identity: RequestIdentity, body: MergeOrder, stream: string) {
    const { workspaceId } = caller;
    const read = body.sources.map(({ dataset_name: name, version }) =>
      seenReadableVersion(this.application, { workspaceId, name, version: versionOf(version) }),
    );
    const [sources] = await allChecks(
      allChecks(...read),
      requireOwnName(this.application, workspaceId, body.output_name, 'output_name'),
    );
    refuseBenchmarks(sources);
    const contents = mergedContents(sources);
    const bytes = sources.reduce((sum, { object }) => sum + object.size, 0);
    await this.application.storage.requireRoom(workspaceId, { bytes, rows: contents.rows });
    const command = {
      type: 'merge-versions',
      workspaceId,
      name: body.output_name,
      datasetType: mergedType(sources),
      ...({ format: 'jsonl', fileName: null, columnMapping: {}, projectId: null } as const),
      sources: sources.map(sourceOf),
      contents,
    } as const;
    const context = callerContext(caller, identity);
    const { state } = await this.queues.enter('dataset-processing', caller, () =>
      this.application.execute(datasetDecider, stream, command, context, DATASETS_VISIBLE_IN),
    );
    return state;
  }

  private async done(stream: string, versionId: string): Promise<DatasetVersion> {
    const deadline = performance.now() + MAX_WAIT_MS;
    for (let wait = 5; ; wait = Math.min(wait * 1.5, MAX_STEP_MS)) {
      const version = (await loadVersion(this.application, stream, versionId))!;
      const { name, versionNumber } = version;
      if (version.status === 'failed')
        throw new ConflictError(
          `version ${versionNumber} of dataset ${JSON.stringify(name)} is failed: ${version.reason}; merge again`,
        );
      if (version.status !== 'merging') {
        await this.application.visibility.wait(DATASETS_VISIBLE_IN, await this.lastPosition(stream));
        return version;
      }
      if (performance.now() > deadline)
        throw new UnavailableError(
          `the merge is still running; poll version ${versionNumber} of dataset ${JSON.stringify(name)} until it is ready`,
        );
      await sleep(wait);
    }
  }

  private async lastPosition(stream: string): Promise<Position | null> {
    const newest = { direction: 'backwards', limit: 1 } as const;
    const { eventStore } = this.application.ports;
    const [last] = await Array.fromAsync(eventStore.readStream(streamName('dataset', stream), newest));
    return last?.position ?? null;
  }
}

/** The merge that the last command on this stream began. */
function begunIn({ versions }: DatasetState) {
  const version = versions.at(-1);
  if (version?.status !== 'merging') throw new Error('a begun merge is not in its dataset');
  return version;
}

const sourceOf = ({ name, versionNumber, versionId, contents, object }: ReadyVersion): MergeSource => ({
  name,
  versionNumber,
  versionId,
  rows: contents.rows,
  object: { key: object.key, size: object.size, sha256: object.sha256 },
});

function refuseBenchmarks(sources: readonly ReadyVersion[]): void {
  const index = sources.findIndex(({ kind }) => kind === 'benchmark');
  if (index < 0) return;
  throw new InvalidError({
    path: ['body', 'sources', index, 'dataset_name'],
    message: `${JSON.stringify(sources[index]!.name)} is a benchmark: it is for evaluations only, and cannot be used for training`,
    type: 'not_allowed',
  });
}
