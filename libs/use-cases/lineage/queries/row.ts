import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { forbidden, may, type Caller } from '#application/caller.js';
import { storedRows } from '#rows/formats/index.js';
import type {
  DatasetEvent,
  DatasetVersion,
  ReadyVersion,
  VersionReference,
  VersionRequest,
} from '#domain/dataset/index.js';
import { ConflictError, NotFoundError } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import type { PageRequest } from '#log/projector/documents.js';
import { requireWholeRows } from '../../datasets/whole-rows.js';
import { CallerQuery } from '../../commands-and-queries.js';
import { Calls } from '../calls.js';
import { FollowedRows } from '../followed-rows.js';
import { graphOfRow } from '../graph.js';
import type { RowLineage } from '../lineage.js';
import { cite, type Recorded } from '../../events/log-reader.js';
import { Origins, type VersionLineage } from '../origins.js';

/** Versions that one answer lists, each way. */
const MAX_LISTED = 100;

interface FollowedRow {
  readonly name: string;
  readonly version: VersionRequest;
  /** Its number as it was written, from 1. */
  readonly row: string;
  /** Of the jobs. */
  readonly page: PageRequest;
  /** Whether the row itself is wanted. */
  readonly content: boolean;
}

export class FollowRow extends CallerQuery<FollowedRow, RowLineage> {}

type Source = RowLineage['came_from'][number];

/** Follows one row both ways: to the upload or the call that it came from, and to what learned from it. */
@QueryHandler(FollowRow)
export class FollowRowHandler implements IQueryHandler<FollowRow, RowLineage> {
  constructor(
    private readonly application: Application,
    private readonly calls: Calls,
    private readonly followed: FollowedRows,
    private readonly origins: Origins,
  ) {}

  /** @throws ForbiddenError for the content; NotFoundError no such version or row; deleted versions are found by number, ConflictError not ready, DamagedError */
  async execute({ caller, input }: FollowRow): Promise<RowLineage> {
    const { workspaceId } = caller;
    const { name, version } = input;
    if (input.content && !may(caller, 'content')) throw forbidden(caller, ['content']);
    if (!/^[1-9]\d{0,14}$/.test(input.row))
      throw new NotFoundError('row', `${name}/${version}/${input.row}`, 'rows have numbers from 1');
    const row = Number(input.row);
    const { found, dataset } = await this.origins.find(workspaceId, name, version);
    if (dataset.rows === null)
      throw new ConflictError(
        `version ${dataset.version} of dataset ${JSON.stringify(name)} has no rows: it is ${found.status}`,
      );
    if (row > dataset.rows) throw new NotFoundError('row', `${name}/${dataset.version}/${row}`);
    const content = await this.contentOf(found, row);
    const came_from = await this.sources(workspaceId, dataset, row);
    const start = { versionId: dataset.version_id, row, after: dataset.origin.event.position };
    const { merged, jobs } = await this.followed.follow(workspaceId, start);
    const lineage = {
      ...{ dataset, row, ...(input.content && { content }), came_from },
      call: await this.call(caller, came_from.at(-1) ?? dataset, content),
      merged_into: merged.slice(0, MAX_LISTED),
      ...(await this.followed.learners(workspaceId, jobs, input.page)),
    };
    return { ...lineage, graph: graphOfRow(lineage) };
  }

  /** null if the rows are permanently gone. */
  private async contentOf(version: DatasetVersion, row: number): Promise<JsonObject | null> {
    if (version.status === 'deleted' && version.purgedAt !== undefined) return null;
    const stage = version.status === 'deleted' ? version.before : version;
    const { objectStore } = this.application.ports;
    const { object } = stage as Pick<ReadyVersion, 'object'>;
    await requireWholeRows(objectStore, { ...version, object });
    for await (const stored of storedRows(objectStore, object.key, row - 1)) return stored;
    return null;
  }

  /** The row's places before each merge, the nearest first. */
  private async sources(workspaceId: string, dataset: VersionLineage, row: number): Promise<readonly Source[]> {
    const sources: Source[] = [];
    let before = await this.before(dataset, row);
    while (before !== null && sources.length < MAX_LISTED) {
      const { name, versionId } = before;
      const version = await this.origins.of(workspaceId, { name, version_id: versionId });
      if (!version) break;
      sources.push({ ...version, row: before.row });
      before = before.row === null ? null : await this.before(version, before.row);
    }
    return sources;
  }

  private async before(
    { origin }: VersionLineage,
    row: number,
  ): Promise<(VersionReference & Pick<Source, 'row'>) | null> {
    const recorded = await this.application.ports.eventStore.eventAt(origin.event.position);
    const { type, data } = recorded as unknown as Recorded<DatasetEvent>;
    if (type === 'dataset-version-initialized.v1') return data.mergedWith ? { ...data.mergedWith, row: null } : null;
    if (type !== 'dataset-version-merge-requested.v1') return null;
    let left = row;
    for (const source of data.sources) {
      if (left <= source.rows) return { ...source, row: left };
      left -= source.rows;
    }
    return null;
  }

  /** Rows of feedback name their calls. */
  private async call({ workspaceId, ...caller }: Caller, { origin }: VersionLineage, content: JsonObject | null) {
    const id = content?.['source_inference_id'];
    if (origin.kind !== 'feedback' || typeof id !== 'string') return null;
    const event = await this.calls.event({ workspaceId, ...caller }, id).catch((error: unknown) => {
      if (error instanceof NotFoundError) return null;
      throw error;
    });
    const corrections = await this.calls.corrections(workspaceId, id);
    return { id, record: `/inferences/${id}`, event: event && cite(event), corrections };
  }
}
