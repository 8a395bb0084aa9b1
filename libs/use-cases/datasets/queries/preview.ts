import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import type { JsonObject } from '#domain/json.js';
import type { PageRequest } from '#log/projector/documents.js';
import { storedRows } from '#rows/formats/index.js';
import { MAX_PAGE_BYTES } from '../../calls/answer-budget.js';
import { CallerQuery } from '../../commands-and-queries.js';
import { readableVersionOf, type NamedVersion } from '../seen-versions.js';
import { requireWholeRows } from '../whole-rows.js';

interface PreviewedRows {
  readonly rows: readonly JsonObject[];
  /** Of the version. */
  readonly total: number;
}

export class PreviewRows extends CallerQuery<NamedVersion & PageRequest, PreviewedRows> {}

@QueryHandler(PreviewRows)
export class PreviewRowsHandler implements IQueryHandler<PreviewRows> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError; ConflictError naming the state; DamagedError */
  async execute({ caller, input }: PreviewRows): Promise<PreviewedRows> {
    const { limit, offset } = input;
    const { objectStore } = this.application.ports;
    const version = await readableVersionOf(this.application, caller.workspaceId, input);
    const total = version.contents.rows;
    const rows: JsonObject[] = [];
    let characters = 0;
    await requireWholeRows(objectStore, version);
    if (offset >= total) return { rows, total };
    for await (const row of storedRows(objectStore, version.object.key, offset)) {
      rows.push(row);
      characters += JSON.stringify(row).length;
      if (rows.length === limit || characters > MAX_PAGE_BYTES) break;
    }
    return { rows, total };
  }
}
