import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { seenReadableVersion } from '#application/datasets.js';
import type { ReadyVersion } from '#domain/dataset/index.js';
import type { JsonObject } from '#domain/json.js';
import type { PageRequest } from '#log/projector/documents.js';
import { storedRows } from '#rows/formats/index.js';
import { VersionReports, type RowFilter } from '#rows/report/index.js';
import { MAX_PAGE_BYTES } from '../../calls/answer-budget.js';
import { CallerQuery } from '../../commands-and-queries.js';
import type { NamedVersion } from '../seen-versions.js';
import { requireWholeRows } from '../whole-rows.js';
import { orConflict } from './report.js';

interface PreviewedRows {
  readonly rows: readonly JsonObject[];
  /** Of the rows, from 1. */
  readonly numbers: readonly number[];
  /** Rows that the filter takes. */
  readonly found: number;
  /** Of the version. */
  readonly total: number;
}

interface PreviewOrder extends NamedVersion, PageRequest {
  readonly filter: RowFilter;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

export class PreviewRows extends CallerQuery<PreviewOrder, PreviewedRows> {}

@QueryHandler(PreviewRows)
export class PreviewRowsHandler implements IQueryHandler<PreviewRows> {
  constructor(
    private readonly application: Application,
    private readonly reports: VersionReports,
  ) {}

  /** @throws NotFoundError; ConflictError naming the state; DamagedError */
  async execute({ caller, input }: PreviewRows): Promise<PreviewedRows> {
    const { objectStore } = this.application.ports;
    const version = await seenReadableVersion(this.application, { ...input, workspaceId: caller.workspaceId });
    const total = version.contents.rows;
    await requireWholeRows(objectStore, version);
    const isFiltered = Object.values(input.filter).some((value) => value !== undefined);
    if (isFiltered) return { ...(await this.search(version, caller.workspaceId, input)), total };
    const rows = await this.page(version, input);
    return { rows, numbers: rows.map((_, index) => input.offset + index + 1), found: total, total };
  }

  private async page(version: ReadyVersion, { limit, offset }: PageRequest): Promise<readonly JsonObject[]> {
    const rows: JsonObject[] = [];
    if (offset >= version.contents.rows) return rows;
    let characters = 0;
    for await (const row of storedRows(this.application.ports.objectStore, version.object.key, offset)) {
      rows.push(row);
      characters += JSON.stringify(row).length;
      if (rows.length === limit || characters > MAX_PAGE_BYTES) break;
    }
    return rows;
  }

  private async search(
    version: ReadyVersion,
    workspaceId: string,
    { name, filter, limit, offset, signal }: PreviewOrder,
  ) {
    const { page, total: found } = await orConflict(
      this.reports.search(
        this.application.ports.objectStore,
        version,
        { filter, limit, offset, maxCharacters: MAX_PAGE_BYTES },
        workspaceId,
        signal,
      ),
      `search in dataset ${JSON.stringify(name)} version ${version.versionNumber}`,
      signal,
    );
    return { rows: page.map(({ data }) => data), numbers: page.map(({ row }) => row), found };
  }
}
