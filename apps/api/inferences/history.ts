import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { NotFoundError } from '#domain/errors.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import { inferenceOf, pageByFilter, pageByNumber, type NumberedScope } from '#projections/inferences/queries.js';
import type { FieldRange, Filter } from '#log/projector/documents.js';
import type { Scalar } from '#ports/read-store/port.js';
import { requireProject } from '../projects/require-project.js';
import type { ListInferencesQuery } from './dto.js';

/** Whether a document has all that it will have: its content is another event than the call, unless it was erased. */
export const isComplete = ({ content, erasedAt }: InferenceDocument): boolean =>
  content !== null || erasedAt !== undefined;

/** Recorded calls, newest first. */
@Injectable()
export class History {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError unknown, of another workspace, or not stored */
  async one(caller: Caller, id: string): Promise<InferenceDocument> {
    const document = await inferenceOf(this.application.ports.readStore, caller.workspaceId, id);
    if (!document) throw new NotFoundError('inference', id);
    return document;
  }

  /** @throws NotFoundError when the query names a project that is not there */
  async page(caller: Caller, query: ListInferencesQuery) {
    await requireProject(this.application, caller.workspaceId, query.project_id);
    const { readStore } = this.application.ports;
    const filter = filterOf(query);
    return filter
      ? pageByFilter(readStore, caller.workspaceId, filter, query)
      : pageByNumber(readStore, scopeOf(caller, query), query);
  }
}

function scopeOf({ workspaceId }: Caller, query: ListInferencesQuery): NumberedScope {
  if (query.training_job_id !== undefined)
    return { where: { workspaceId, trainingJobId: query.training_job_id }, ordinal: 'nJob' };
  if (query.model_id !== undefined) return { where: { workspaceId, modelId: query.model_id }, ordinal: 'nModel' };
  if (query.project_id !== undefined)
    return { where: { workspaceId, projectId: query.project_id }, ordinal: 'nProject' };
  return { where: { workspaceId }, ordinal: 'n' };
}

/** Conditions that a numbered scope alone does not answer; null where it does. */
function filterOf(query: ListInferencesQuery): Filter<InferenceDocument> | null {
  const { task, model_id: modelId, project_id: projectId, training_job_id: trainingJobId } = query;
  const where = Object.fromEntries(
    Object.entries({ modelId, projectId, trainingJobId, task }).filter(([, value]) => value !== undefined),
  );
  const ranges = [
    ...bounds('createdAt', query.since, query.until),
    ...bounds('latencyMs', query.latency_min, query.latency_max),
  ];
  const numbered = ranges.length === 0 && task === undefined && Object.keys(where).length < 2;
  return numbered ? null : { where, ranges };
}

const bounds = (
  field: 'createdAt' | 'latencyMs',
  from?: Scalar,
  to?: Scalar,
): readonly FieldRange<InferenceDocument>[] =>
  from === undefined && to === undefined
    ? []
    : [{ field, ...(from !== undefined && { from }), ...(to !== undefined && { to }) }];
