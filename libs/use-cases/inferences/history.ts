import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { NotFoundError } from '#domain/errors.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import { feedbackDocuments } from '#projections/feedback/queries.js';
import {
  inferenceDocuments,
  inferenceOf,
  isIn,
  pageByFilter,
  pageByNumber,
  type NumberedScope,
} from '#projections/inferences/queries.js';
import type { Filter, PageRequest } from '#log/projector/documents.js';
import { requireProject } from '../projects/require-project.js';
import { notACursor } from '../not-a-cursor.js';
import { filterOf, type InferenceFilters } from './filters.js';
import { patientWithYoung } from './patience.js';

/** A page of recorded calls. */
export interface CallsRequest extends InferenceFilters, PageRequest {
  /** Id of the last call of the page before; with an offset of 0. */
  readonly cursor?: string;
}

/** Whether a document is complete: its content is another event than the call, unless it was erased. */
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

  /**
   * The same for a call that may have been answered just now: the read model may be behind.
   * @param isWhole see `patientWithYoung`
   */
  recent(caller: Caller, id: string, isWhole?: (document: InferenceDocument) => boolean): Promise<InferenceDocument> {
    const read = () => this.one(caller, id);
    return patientWithYoung(this.application, {
      id,
      seenIn: inferenceDocuments.collection,
      read,
      ...(isWhole && { isWhole }),
    });
  }

  /** Calls with verdicts of several reviewers, the newest verdict first, and how many more there are. */
  async shared({ workspaceId }: Caller, modelId: string | undefined, limit: number) {
    const { readStore } = this.application.ports;
    const where = { workspaceId, shared: true };
    const found = await feedbackDocuments.all(readStore, { where, order: { field: 'at', direction: 'descending' } });
    const documents: InferenceDocument[] = [];
    let leftOut = 0;
    for (const { id } of found) {
      const document = await inferenceOf(readStore, workspaceId, id);
      if (!document || (modelId !== undefined && document.modelId !== modelId)) continue;
      if (documents.length < limit) documents.push(document);
      else leftOut += 1;
    }
    return { documents, leftOut };
  }

  /** @throws NotFoundError when the query names a project that is not there */
  async page(caller: Caller, query: CallsRequest) {
    await requireProject(this.application, caller.workspaceId, query.project_id);
    const { readStore } = this.application.ports;
    const filter = filterOf(query);
    const scope = scopeOf(caller, query);
    const before = await this.placeOf(caller, query);
    const place = { limit: query.limit, offset: query.offset, before };
    return isNumbered(filter) && (!before || isIn(scope, before))
      ? pageByNumber(readStore, scope, place)
      : pageByFilter(readStore, caller.workspaceId, filter, place);
  }

  /** The last call of the page before. @throws InvalidError when the cursor names none */
  private async placeOf(caller: Caller, { cursor, offset }: CallsRequest): Promise<InferenceDocument | null> {
    if (cursor === undefined) return null;
    if (offset > 0) throw notACursor('cannot be combined with offset; send one of them');
    const call = await inferenceOf(this.application.ports.readStore, caller.workspaceId, cursor);
    if (!call) throw notACursor();
    return call;
  }
}

function scopeOf({ workspaceId }: Caller, query: CallsRequest): NumberedScope {
  if (query.training_job_id !== undefined)
    return { where: { workspaceId, trainingJobId: query.training_job_id }, ordinal: 'nJob' };
  if (query.model_id !== undefined) return { where: { workspaceId, modelId: query.model_id }, ordinal: 'nModel' };
  if (query.project_id !== undefined)
    return { where: { workspaceId, projectId: query.project_id }, ordinal: 'nProject' };
  return { where: { workspaceId }, ordinal: 'n' };
}

/** Whether a numbered scope alone answers these conditions. */
const isNumbered = ({ where = {}, ranges = [], contains = [], words }: Filter<InferenceDocument>): boolean =>
  words === undefined &&
  ranges.length + contains.length === 0 &&
  Object.keys(where).every((field) => ['modelId', 'projectId', 'trainingJobId'].includes(field)) &&
  Object.keys(where).length < 2;
