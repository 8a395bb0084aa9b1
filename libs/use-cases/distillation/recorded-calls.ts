import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import type { RecordedCall } from '#distillation/calls/canonical.js';
import { rightOutput } from '#domain/feedback/index.js';
import { allTokens } from '#domain/inference/index.js';
import { isRecord } from '#domain/json.js';
import type { Filter } from '#log/projector/documents.js';
import { Catalog } from '#models/catalog/catalog.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { ownTurn } from '#primitives/turns/own-turn.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import { pageBefore } from '#projections/inferences/queries.js';
import { unstoredCalls } from '#projections/usage/queries.js';
import { CallContents } from '../calls/call-contents.js';
import { documentOnLog, notOnLog } from '../calls/call-on-log.js';
import { requireProject } from '../projects/require-project.js';

/** Which recorded calls of a workspace to read. */
export interface WantedCalls {
  /** A hosted model by its id, an alias or a dated id; of imported calls the id that their lines gave. */
  readonly model: string;
  readonly projectId?: string | null;
  /** Time of the call, ISO 8601, inclusive. */
  readonly since?: string | null;
  readonly until?: string | null;
  /** Most calls read, the newest. Default: `MAX_RECORDED_CALLS`. */
  readonly limit?: number;
}

/** A recorded call with the right answer: the teacher's, or that of a person who corrected it. */
export interface TeacherCall extends RecordedCall {
  readonly projectId: string | null;
  readonly isCorrected: boolean;
  /** Of input and output. */
  readonly tokens: number;
}

/** Calls that were not taken, by reason. */
export interface LeftOutCalls {
  /**
   * Made with `store: false`, or interrupted so that the content was lost. The former are counted by whole days and in the whole
   * workspace; null if a project is asked for, since nothing tells of which project they were.
   */
  readonly not_kept: number | null;
  readonly erased: number;
  readonly failed: number;
  /** The latest verdict is that the answer is wrong, or that nobody knows, and there is no correction. */
  readonly disputed: number;
}

export interface ReadCalls {
  /** Newest first. */
  readonly calls: readonly TeacherCall[];
  readonly leftOut: LeftOutCalls;
  /** What kept older calls from being read; null if all were. */
  readonly limit: 'calls' | 'bytes' | null;
}

/** Calls that one reading takes by default. */
export const MAX_RECORDED_CALLS = 20_000;
/** Of requests and answers as JSON text, which are in memory together. */
const MAX_CHARACTERS = 128 * 1024 * 1024;
/** Documents that are read at once, and calls that are read from the log at once. */
const PAGE = 200;
const AT_ONCE = 8;

/** Recorded calls of a hosted model, from which a student learns. They are found in the history and taken from the log. */
@Injectable()
export class RecordedCalls {
  constructor(
    private readonly application: Application,
    private readonly catalog: Catalog,
    private readonly contents: CallContents,
    private readonly secret: SecretKey,
  ) {}

  /**
   * @throws NotFoundError for a project that is not there; ConflictError for a call that the log does not have, or of which the
   * content is not the one that it was recorded with
   */
  async read(workspaceId: string, wanted: WantedCalls): Promise<ReadCalls> {
    await requireProject(this.application, workspaceId, wanted.projectId);
    const { readStore } = this.application.ports;
    const baseModel = this.catalog.resolve(wanted.model)?.id ?? wanted.model;
    const filter = filterOf(baseModel, wanted);
    const most = wanted.limit ?? MAX_RECORDED_CALLS;
    const calls: TeacherCall[] = [];
    const leftOut = { not_kept: 0, erased: 0, failed: 0, disputed: 0 };
    let characters = 0;
    let limit: ReadCalls['limit'] = null;
    let before: InferenceDocument | null = null;
    do {
      const page: readonly InferenceDocument[] = await pageBefore(readStore, workspaceId, filter, {
        before,
        limit: PAGE,
      });
      for (let at = 0; at < page.length && limit === null; at += AT_ONCE) {
        const taken = await Promise.all(page.slice(at, at + AT_ONCE).map((known) => this.call(known, workspaceId)));
        for (const call of taken) {
          if (typeof call === 'string') leftOut[call] += 1;
          else if (calls.length === most) limit = 'calls';
          else if ((characters += sizeOf(call)) > MAX_CHARACTERS) limit = 'bytes';
          else calls.push(call);
          if (limit !== null) break;
        }
        await ownTurn();
      }
      before = page.length < PAGE ? null : page.at(-1)!;
    } while (before !== null && limit === null);
    const days = {
      ...(wanted.since && { from: dayOf(wanted.since) }),
      ...(wanted.until && { to: dayOf(wanted.until) }),
    };
    const unstored = wanted.projectId ? null : await unstoredCalls(readStore, workspaceId, baseModel, days);
    return { calls, leftOut: { ...leftOut, not_kept: unstored === null ? null : leftOut.not_kept + unstored }, limit };
  }

  /** The call as the log has it, or why it is left out. */
  private async call(known: InferenceDocument, workspaceId: string): Promise<TeacherCall | keyof LeftOutCalls> {
    const { id: inferenceId, position } = known;
    const document = await documentOnLog(this.application, this.secret, { inferenceId, workspaceId, position });
    if (document === null) throw notOnLog(inferenceId);
    if (document.erasedAt !== undefined) return 'erased';
    if (document.status !== 'success') return 'failed';
    const content = await this.contents.within(document, (whole) => whole);
    if (content === null || !isRecord(content.input)) return 'not_kept';
    const given = await this.contents.feedback(document);
    const answer = given ? rightOutput(given.verdict, content.output, given.correctedOutput) : content.output;
    if (answer === null) return given ? 'disputed' : 'not_kept';
    return {
      ...{ id: inferenceId, at: document.createdAt, model: document.modelId, projectId: document.projectId },
      ...{ request: content.input, answer, isCorrected: (given?.correctedOutput ?? null) !== null },
      ...{ cost: document.costPicodollars, tokens: allTokens(document) },
    };
  }
}

const filterOf = (baseModel: string, { projectId, since, until }: WantedCalls): Filter<InferenceDocument> => ({
  where: { task: 'generate', baseModel, ...(projectId && { projectId }) },
  ...((since || until) && {
    ranges: [{ field: 'createdAt', ...(since && { from: since }), ...(until && { to: until }) }],
  }),
});

const sizeOf = ({ request, answer }: RecordedCall): number =>
  JSON.stringify(request).length + JSON.stringify(answer).length;

const dayOf = (time: string): string => time.slice(0, 10);
