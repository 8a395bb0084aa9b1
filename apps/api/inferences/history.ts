import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { NotFoundError } from '#domain/errors.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import type { Query, Range, Scalar } from '#read-store/port.js';
import { requireProject } from '../projects/require-project.js';
import type { ListInferencesQuery } from './dto.js';

type Scope = Readonly<Record<string, string>>;

/** Recorded calls, newest first. */
@Injectable()
export class History {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError unknown, of another workspace, or not stored */
  async one(caller: Caller, id: string): Promise<InferenceDocument> {
    const document = await this.application.ports.readStore.get<InferenceDocument>('inferences', id);
    if (document?.workspaceId !== caller.workspaceId) throw new NotFoundError('inference', id);
    return document;
  }

  /** @throws NotFoundError when the query names a project that is not there */
  async page(caller: Caller, query: ListInferencesQuery) {
    await requireProject(this.application, caller.workspaceId, query.project_id);
    const filter = filterOf(query);
    return filter ? this.filtered(caller, filter, query) : this.numbered(scopeOf(caller, query), query);
  }

  /**
   * Within one of the scopes that number their documents densely, the newest number is the total, and a page is a range of
   * numbers: no counting, no skipping, and no shift while new calls arrive.
   */
  private async numbered({ where, ordinal }: NumberedScope, { limit, offset }: ListInferencesQuery) {
    const order = { field: ordinal, direction: 'descending' } as const;
    const { readStore } = this.application.ports;
    const [newest] = await readStore.find<InferenceDocument>('inferences', {
      where,
      range: { field: ordinal, from: 1 },
      order,
      limit: 1,
    });
    const total = Number(newest?.[ordinal] ?? 0);
    if (offset >= total) return { documents: [], total };
    const range = { field: ordinal, from: Math.max(1, total - offset - limit + 1), to: total - offset };
    const documents = await readStore.find<InferenceDocument>('inferences', { where, range, order, limit });
    return { documents, total };
  }

  /** Any other combination is looked for among all calls, by their numbers in the workspace. */
  private async filtered({ workspaceId }: Caller, filter: NonNullable<Query['filter']>, page: ListInferencesQuery) {
    const { limit, offset } = page;
    const { readStore } = this.application.ports;
    const conditions = { where: { workspaceId }, filter };
    const order = { field: 'n', direction: 'descending' } as const;
    const [documents, total] = await Promise.all([
      readStore.find<InferenceDocument>('inferences', { ...conditions, order, limit, offset }),
      readStore.count('inferences', conditions),
    ]);
    return { documents, total };
  }
}

interface NumberedScope {
  readonly where: Scope;
  readonly ordinal: 'n' | 'nModel' | 'nJob' | 'nProject';
}

function scopeOf({ workspaceId }: Caller, query: ListInferencesQuery): NumberedScope {
  if (query.training_job_id !== undefined)
    return { where: { workspaceId, trainingJobId: query.training_job_id }, ordinal: 'nJob' };
  if (query.model_id !== undefined) return { where: { workspaceId, modelId: query.model_id }, ordinal: 'nModel' };
  if (query.project_id !== undefined)
    return { where: { workspaceId, projectId: query.project_id }, ordinal: 'nProject' };
  return { where: { workspaceId }, ordinal: 'n' };
}

/** What a numbered scope alone does not answer; null when there is nothing of it. */
function filterOf(query: ListInferencesQuery): NonNullable<Query['filter']> | null {
  const { task, model_id: modelId, project_id: projectId, training_job_id: trainingJobId } = query;
  const where = Object.fromEntries(
    Object.entries({ modelId, projectId, trainingJobId, task }).filter(
      (condition): condition is [string, string] => condition[1] !== undefined,
    ),
  );
  const ranges = [
    ...bounds('createdAt', query.since, query.until),
    ...bounds('latencyMs', query.latency_min, query.latency_max),
  ];
  const numbered = ranges.length === 0 && task === undefined && Object.keys(where).length < 2;
  return numbered ? null : { where, ranges };
}

const bounds = (field: string, from?: Scalar, to?: Scalar): readonly Range[] =>
  from === undefined && to === undefined
    ? []
    : [{ field, ...(from !== undefined && { from }), ...(to !== undefined && { to }) }];
