import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { seenReadableVersion } from '#application/datasets.js';
import { VersionReports, type VersionReport } from '#rows/report/index.js';
import { DATASET_NAME, type ReadyVersion } from '#domain/dataset/index.js';
import { ConflictError, InvalidError, UnavailableError } from '#domain/errors.js';
import { ChildDiedError } from '#primitives/confined-process/index.js';
import { CallerQuery } from '../../commands-and-queries.js';
import type { NamedVersion } from '../seen-versions.js';
import { requireWholeRows } from '../whole-rows.js';

export interface ReportedRows {
  readonly version: ReadyVersion;
  /** The version that it was compared with. */
  readonly heldOut: ReadyVersion | null;
  readonly report: VersionReport;
}

interface ReportRequest extends NamedVersion {
  /** `name/version` or `name`; absent: none. */
  readonly heldOut?: string | undefined;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

export class ReportOnVersion extends CallerQuery<ReportRequest, ReportedRows> {}

@QueryHandler(ReportOnVersion)
export class ReportOnVersionHandler implements IQueryHandler<ReportOnVersion> {
  constructor(
    private readonly application: Application,
    private readonly reports: VersionReports,
  ) {}

  /** @throws NotFoundError; InvalidError naming held_out; DamagedError; ConflictError naming the state */
  async execute({ caller, input }: ReportOnVersion): Promise<ReportedRows> {
    const { name, heldOut, signal } = input;
    const { workspaceId } = caller;
    const { objectStore } = this.application.ports;
    const reference = heldOut === undefined ? null : referenceOf(heldOut);
    const version = await seenReadableVersion(this.application, { ...input, workspaceId });
    const other = reference && (await seenReadableVersion(this.application, { ...reference, workspaceId }));
    if (other?.versionId === version.versionId) throw refusal('is the version itself; name another one');
    for (const each of other ? [version, other] : [version]) await requireWholeRows(objectStore, each);
    const report = await orConflict(
      this.reports.report(objectStore, version, other, workspaceId, signal),
      `report on dataset ${JSON.stringify(name)} version ${version.versionNumber}`,
      signal,
    );
    return { version, heldOut: other, report };
  }
}

/**
 * @param what could not be computed, if its process dies
 * @throws ConflictError; UnavailableError if the client has disconnected
 */
export async function orConflict<T>(made: Promise<T>, what: string, signal: AbortSignal): Promise<T> {
  try {
    return await made;
  } catch (error) {
    if (signal.aborted) throw new UnavailableError('the client closed the connection');
    if (!(error instanceof ChildDiedError)) throw error;
    throw new ConflictError(`no ${what} can be made: ${error.message}`, { cause: error });
  }
}

/** @throws InvalidError */
function referenceOf(text: string): NamedVersion {
  const [, name, version = 'latest'] = /^([^/]*)(?:\/(latest|[1-9]\d{0,14}))?$/.exec(text) ?? [];
  if (name === undefined || !DATASET_NAME.test(name))
    throw refusal('must be name/version, such as tickets/2, or the name of a dataset');
  return { name, version: version === 'latest' ? 'latest' : Number(version) };
}

const refusal = (message: string): InvalidError =>
  new InvalidError({ path: ['query', 'held_out'], message, type: 'not_allowed' });
