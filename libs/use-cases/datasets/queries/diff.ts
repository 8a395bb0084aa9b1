import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { seenReadableVersion } from '#application/datasets.js';
import { VersionReports, type VersionDiff } from '#rows/report/index.js';
import type { ReadyVersion, VersionRequest } from '#domain/dataset/index.js';
import { InvalidError } from '#domain/errors.js';
import { CallerQuery } from '../../commands-and-queries.js';
import type { NamedVersion } from '../seen-versions.js';
import { orConflict } from './report.js';
import { requireWholeRows } from '../whole-rows.js';

export interface ComparedVersions {
  readonly from: ReadyVersion;
  readonly to: ReadyVersion;
  readonly diff: VersionDiff;
}

interface Comparison extends NamedVersion {
  /** The number of the version that is compared with; absent: the one before. */
  readonly from?: number | undefined;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

export class CompareVersions extends CallerQuery<Comparison, ComparedVersions> {}

@QueryHandler(CompareVersions)
export class CompareVersionsHandler implements IQueryHandler<CompareVersions> {
  constructor(
    private readonly application: Application,
    private readonly reports: VersionReports,
  ) {}

  /** @throws NotFoundError; InvalidError naming from; DamagedError; ConflictError naming the state */
  async execute({ caller, input }: CompareVersions): Promise<ComparedVersions> {
    const { name, version: to, from, signal } = input;
    const { workspaceId } = caller;
    const { objectStore } = this.application.ports;
    const find = (version: VersionRequest) => seenReadableVersion(this.application, { workspaceId, name, version });
    const later = await find(to);
    const number = from ?? later.versionNumber - 1;
    if (number === 0) throw refusal('must name a version: there is none before version 1', 'missing');
    if (number === later.versionNumber) throw refusal('is the version itself; give the number of another one');
    const earlier = await find(number);
    for (const each of [earlier, later]) await requireWholeRows(objectStore, each);
    const diff = await orConflict(
      this.reports.diff(objectStore, earlier, later, workspaceId, signal),
      `difference of dataset ${JSON.stringify(name)} versions ${number} and ${later.versionNumber}`,
      signal,
    );
    return { from: earlier, to: later, diff };
  }
}

const refusal = (message: string, type: 'missing' | 'not_allowed' = 'not_allowed'): InvalidError =>
  new InvalidError({ path: ['query', 'from'], message, type });
