import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import { datasetStreamId } from '#application/datasets.js';
import {
  datasetDecider,
  type DatasetEvent,
  type DatasetVersion,
  type DatasetVersionEvent,
  type PinnedObject,
  type VersionRequest,
} from '#domain/dataset/index.js';
import { NotFoundError } from '#domain/errors.js';
import { ObjectNotFoundError } from '#ports/object-store/port.js';
import { Actors } from './actors.js';
import { cite, LogReader, type Recorded } from '../events/log-reader.js';

/** A dataset version by its events. */
export type VersionLineage = NonNullable<Awaited<ReturnType<Origins['of']>>>;
export interface VersionId {
  readonly name: string;
  readonly version_id: string;
}

const MAX_CALL_IDS = 1_000;
/** Rows of feedback beyond this are not read for the ids of their calls. */
const MAX_READ_BYTES = 16 * 1024 * 1024;

/** The origins of the rows of dataset versions. */
@Injectable()
export class Origins {
  constructor(
    private readonly application: Application,
    private readonly log: LogReader,
    private readonly actors: Actors,
  ) {}

  /**
   * The version that a request names, which may be deleted if it is named by number.
   * @throws NotFoundError
   */
  async find(
    workspaceId: string,
    name: string,
    requested: VersionRequest,
  ): Promise<{ readonly found: DatasetVersion; readonly dataset: VersionLineage }> {
    const { versions } = await this.application.load(datasetDecider, datasetStreamId(workspaceId, name));
    const found = versions.findLast(({ versionNumber, status }) =>
      requested === 'latest' ? status === 'ready' : versionNumber === requested,
    );
    const dataset = found && (await this.of(workspaceId, { name, version_id: found.versionId }));
    if (!dataset) throw new NotFoundError('dataset version', `${name}/${requested}`);
    return { found, dataset };
  }

  /** null if the log has no such version in the workspace. */
  async of(workspaceId: string, { name, version_id }: VersionId) {
    const events = await this.log.events<DatasetEvent>(
      workspaceId,
      ['dataset', datasetStreamId(workspaceId, name)],
      ({ data }) => 'versionId' in data && data.versionId === version_id,
    );
    const last = <Type extends DatasetVersionEvent['type']>(type: Type) =>
      events.findLast((event) => event.type === type) as
        Recorded<Extract<DatasetVersionEvent, { readonly type: Type }>> | undefined;
    const made = last('dataset-version-initialized.v1');
    if (!made) return null;
    const ready = last('dataset-version-ready.v1');
    const [merged, pulled] = [last('dataset-version-merge-requested.v1'), last('dataset-version-import-requested.v1')];
    const [deleted, restored] = [last('dataset-version-deleted.v1'), last('dataset-version-restored.v1')];
    const described = last('dataset-version-described.v1');
    const [sealed, purged] = [last('dataset-version-sealed.v1'), last('dataset-version-purged.v1')];
    const isOfCalls = made.data.generationType === 'feedback' || made.data.generationType === 'distilled';
    const calls = isOfCalls && sealed ? await this.callsIn(sealed.data.source) : NO_CALLS;
    return {
      version_id,
      name,
      version: made.data.versionNumber,
      sha256: ready?.data.object.sha256 ?? null,
      rows: ready?.data.contents.rows ?? null,
      file_name: made.data.fileName,
      made_by: await this.actors.of(workspaceId, made.metadata.actor),
      described: described ? await this.described(workspaceId, described) : null,
      origin: {
        kind: made.data.generationType,
        merged_from: [...(merged?.data.sources ?? []), ...(made.data.mergedWith ? [made.data.mergedWith] : [])].map(
          (source) => ({
            ...{ version_id: source.versionId, name: source.name, version: source.versionNumber },
          }),
        ),
        hub: pulled ? hubRecord(pulled.data.from) : null,
        call_ids: calls.ids,
        more_calls: calls.areMore,
        event: cite(merged ?? pulled ?? made),
      },
      event: ready ? cite(ready) : null,
      deleted: deleted && (restored?.position ?? '') < deleted.position ? cite(deleted) : null,
      erased: purged
        ? {
            erased_at: purged.metadata.occurredAt,
            erased_by: await this.actors.of(workspaceId, purged.metadata.actor),
            keys: purged.data.keys ?? [],
            certificate: `/felix/datasets/${encodeURIComponent(name)}/${made.data.versionNumber}?erase=true`,
            event: cite(purged),
          }
        : null,
    };
  }

  private async described(workspaceId: string, event: Recorded<DescribedEvent>) {
    const { purpose, source, license, consent, describedBy } = event.data;
    const by = await this.actors.of(workspaceId, describedBy);
    return { purpose, source, license, consent, by, event: cite(event) };
  }

  /** Ids of the calls that stored rows of feedback come from; null if the file is purged or too large. */
  private async callsIn({ key, size }: PinnedObject): Promise<typeof NO_CALLS> {
    if (size > MAX_READ_BYTES) return { ids: null, areMore: true };
    try {
      const chunks = await Array.fromAsync(await this.application.ports.objectStore.get(key));
      const lines = Buffer.concat(chunks).toString().split('\n').filter(Boolean);
      const rows = lines.map((line) => JSON.parse(line) as { readonly source_inference_id?: string });
      // Rows of a version that they were merged with may come from no call.
      const ids = [...new Set(rows.flatMap((row) => row.source_inference_id ?? []))];
      return { ids: ids.slice(0, MAX_CALL_IDS), areMore: ids.length > MAX_CALL_IDS };
    } catch (error) {
      if (error instanceof ObjectNotFoundError) return NO_CALLS;
      throw error;
    }
  }
}

type DescribedEvent = Extract<DatasetEvent, { readonly type: 'dataset-version-described.v1' }>;

const NO_CALLS: { readonly ids: readonly string[] | null; readonly areMore: boolean } = { ids: null, areMore: false };

type HubSource = Extract<DatasetEvent, { readonly type: 'dataset-version-import-requested.v1' }>['data']['from'];

const hubRecord = ({ repoId, revision, commit, config, split, files }: HubSource) => ({
  ...{ repo_id: repoId, revision, commit, config, split, files },
});
