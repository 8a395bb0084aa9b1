import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { NotFoundError } from '#domain/errors.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import type { Query, Range } from '#read-store/port.js';
import { requireProject } from '../projects/require-project.js';
import type { ListInferencesQuery } from './dto.js';

const COUNT_FRESH_MS = 5_000;
const MOST_CACHED_COUNTS = 1_000;

type Scope = Readonly<Record<string, string>>;

/** Recorded calls, newest first. */
@Injectable()
export class History {
  private readonly counts = new Map<string, { readonly count: number; readonly at: number }>();

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
    const scope = scopeOf(caller, query);
    const conditions = conditionsOf(query);
    return conditions ? this.filtered(scope, conditions, query) : this.numbered(scope, query);
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

  /** Any other combination is looked through in order of time; its total is counted apart, and kept for 5 s. */
  private async filtered({ where }: NumberedScope, { range, filter }: Conditions, page: ListInferencesQuery) {
    const { workspaceId, ...rest } = where;
    const query: Omit<Query, 'limit'> = {
      where: { workspaceId: workspaceId! },
      range,
      filter: { where: { ...rest, ...filter.where }, ranges: filter.ranges },
      order: { field: 'createdAt', direction: 'descending' },
    };
    const { limit, offset } = page;
    const { readStore } = this.application.ports;
    const documents = await readStore.find<InferenceDocument>('inferences', { ...query, limit, offset });
    return { documents, total: await this.count(query) };
  }

  private async count(query: Omit<Query, 'limit'>): Promise<number> {
    const key = JSON.stringify(query);
    const known = this.counts.get(key);
    if (known && performance.now() - known.at < COUNT_FRESH_MS) return known.count;
    const count = await this.application.ports.readStore.count('inferences', query);
    if (this.counts.size >= MOST_CACHED_COUNTS) this.counts.clear();
    this.counts.set(key, { count, at: performance.now() });
    return count;
  }
}

interface NumberedScope {
  readonly where: Scope;
  readonly ordinal: 'n' | 'nModel' | 'nJob' | 'nProject';
}

interface Conditions {
  readonly range: Range;
  readonly filter: { readonly where: Scope; readonly ranges: readonly Range[] };
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
function conditionsOf(query: ListInferencesQuery): Conditions | null {
  const { task, model_id: modelId, project_id: projectId, training_job_id: trainingJobId } = query;
  const { since, until, latency_min: least, latency_max: most } = query;
  const scopes = [modelId, projectId, trainingJobId].filter((value) => value !== undefined);
  const others = [task, since, until, least, most].filter((value) => value !== undefined);
  if (others.length === 0 && scopes.length < 2) return null;
  const where = { ...(task && { task }), ...(modelId && { modelId }), ...(projectId && { projectId }) };
  const latency: Range[] = [];
  if (least !== undefined || most !== undefined)
    latency.push({
      field: 'latencyMs',
      ...(least !== undefined && { from: least }),
      ...(most !== undefined && { to: most }),
    });
  return {
    range: { field: 'createdAt', from: since ?? '', ...(until !== undefined && { to: until }) },
    filter: { where, ranges: latency },
  };
}
