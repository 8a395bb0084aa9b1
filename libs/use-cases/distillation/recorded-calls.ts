import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import type { RecordedCall } from '#distillation/calls/canonical.js';
import { DECIDED_VERDICTS, rightOutput } from '#domain/feedback/index.js';
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
  /**
   * A hosted model by its id, an alias or a dated id; of imported calls the id that their lines gave. Absent: all models that generate
   * texts.
   */
  readonly model?: string | null;
  /** A name of which the calls that people judged are read as well, whoever answered them. */
  readonly judgedOf?: string;
  readonly projectId?: string | null;
  /** Time of the call, ISO 8601, inclusive. */
  readonly since?: string | null;
  readonly until?: string | null;
  /** Most calls read, the newest. Default: `MAX_RECORDED_CALLS`. */
  readonly limit?: number;
}

/** A recorded call with the right answer: the teacher's, or that of a person who corrected it. */
export interface TeacherCall extends RecordedCall {
  /** The model that answered: its id in the catalog; `model` may be a name or an alias of it. */
  readonly teacher: string;
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
  /** The latest verdict is that the answer is wrong, or that nobody knows, and there is no correction; or of `judgedOf`, it was taken back. */
  readonly disputed: number;
}

/** What a reading left out. */
export interface LeftOut {
  readonly leftOut: LeftOutCalls;
  /** What kept older calls from being read; null if all were. */
  readonly limit: 'calls' | 'bytes' | null;
}

/** Calls that are read once, one after another. */
export interface CallReading {
  readonly each: AsyncIterable<TeacherCall>;
  /** null until all were read. */
  readonly leftOut: LeftOut | null;
}

/** Calls that one reading takes by default. */
export const MAX_RECORDED_CALLS = 20_000;
/** Of requests and answers as JSON text, which are in memory together. */
const MAX_CHARACTERS = 64 * 1024 * 1024;
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

  /** The calls, and what was left out once they were read. */
  asked(workspaceId: string, wanted: WantedCalls): CallReading {
    const reading = this.each(workspaceId, wanted);
    const of: { -readonly [Part in keyof CallReading]: CallReading[Part] } = { each: calls(), leftOut: null };
    async function* calls(): AsyncGenerator<TeacherCall> {
      of.leftOut = yield* reading;
    }
    return of;
  }

  /**
   * Those of `judgedOf` first, each newest first, a few in memory.
   * @returns what was left out
   * @throws NotFoundError for a project that is not there; ConflictError for a call that the log does not have so, or of which the
   * content is not the one that it was recorded with
   */
  async *each(workspaceId: string, wanted: WantedCalls): AsyncGenerator<TeacherCall, LeftOut> {
    await requireProject(this.application, workspaceId, wanted.projectId);
    const leftOut = { not_kept: 0, erased: 0, failed: 0, disputed: 0 };
    let [left, characters] = [wanted.limit ?? MAX_RECORDED_CALLS, MAX_CHARACTERS];
    let limit: LeftOut['limit'] = null;
    const models = wanted.model ? this.namesOf(wanted.model) : null;
    for await (const known of this.documents(workspaceId, wanted, models)) {
      const calls = await Promise.all(known.map((each) => this.call(each, workspaceId, models)));
      for (const call of calls) {
        if (typeof call === 'string') leftOut[call] += 1;
        else if (left === 0) limit = 'calls';
        else if ((characters -= sizeOf(call)) < 0) limit = 'bytes';
        else {
          left -= 1;
          yield call;
        }
        if (limit !== null) break;
      }
      if (limit !== null) break;
      await ownTurn();
    }
    const unstored = wanted.projectId ? null : await this.unstored(workspaceId, wanted);
    return { leftOut: { ...leftOut, not_kept: unstored === null ? null : leftOut.not_kept + unstored }, limit };
  }

  /** Calls of the history, those that people judged first, each newest first, a few at a time. */
  private async *documents(
    workspaceId: string,
    wanted: WantedCalls,
    models: readonly string[] | null,
  ): AsyncGenerator<readonly InferenceDocument[]> {
    if (models !== null && wanted.judgedOf !== undefined) {
      const judged = filterOf({ modelKey: wanted.judgedOf, verdict: DECIDED_VERDICTS }, wanted);
      for await (const found of this.found(workspaceId, judged))
        yield found.filter(({ modelName, baseModel }) => modelName !== undefined && !models.includes(baseModel));
    }
    for await (const found of this.found(workspaceId, filterOf(models && { baseModel: models }, wanted)))
      yield models === null ? found.filter(({ baseModel }) => !this.isEncoder(baseModel)) : found;
  }

  private async *found(
    workspaceId: string,
    filter: Filter<InferenceDocument>,
  ): AsyncGenerator<readonly InferenceDocument[]> {
    const { readStore } = this.application.ports;
    let before: InferenceDocument | null = null;
    do {
      const page: readonly InferenceDocument[] = await pageBefore(readStore, workspaceId, filter, {
        before,
        limit: PAGE,
      });
      for (let at = 0; at < page.length; at += AT_ONCE) yield page.slice(at, at + AT_ONCE);
      before = page.length < PAGE ? null : page.at(-1)!;
    } while (before !== null);
  }

  private async unstored(workspaceId: string, { model, since, until }: WantedCalls): Promise<number> {
    const days = { ...(since && { from: dayOf(since) }), ...(until && { to: dayOf(until) }) };
    const wanted = this.idOf(model);
    const counts = await unstoredCalls(this.application.ports.readStore, workspaceId, days);
    return [...counts].reduce(
      (sum, [id, count]) => ((wanted === null ? !this.isEncoder(id) : id === wanted) ? sum + count : sum),
      0,
    );
  }

  private idOf(model: WantedCalls['model']): string | null {
    return model ? (this.catalog.resolve(model)?.id ?? model) : null;
  }

  /** As calls have it: those made here its id, imported ones any of its names. */
  private namesOf(model: string): readonly string[] {
    const entry = this.catalog.resolve(model);
    return [...new Set([model, ...(entry ? this.catalog.namesOf(entry) : [])])];
  }

  /** Students answer as their teachers did, and are none. */
  private isEncoder(id: string): boolean {
    return this.catalog.resolve(id)?.task_type === 'encoder';
  }

  /** The call as the log has it, or why it is left out. @param models whose answers are learned though nobody judged them; null: all */
  private async call(
    known: InferenceDocument,
    workspaceId: string,
    models: readonly string[] | null,
  ): Promise<TeacherCall | keyof LeftOutCalls> {
    const { id: inferenceId, position } = known;
    const document = await documentOnLog(this.application, this.secret, { inferenceId, workspaceId, position });
    if (document === null || FOUND_BY.some((field) => document[field] !== known[field])) throw notOnLog(inferenceId);
    if (document.erasedAt !== undefined) return 'erased';
    if (document.status !== 'success') return 'failed';
    const content = await this.contents.within(document, (whole) => whole);
    if (content === null || !isRecord(content.input)) return 'not_kept';
    const given = await this.contents.feedback(document);
    if (!given && models?.includes(document.baseModel) === false) return 'disputed';
    const answer = given ? rightOutput(given.verdict, content.output, given.correctedOutput) : content.output;
    if (answer === null) return given ? 'disputed' : 'not_kept';
    return {
      ...{ id: inferenceId, at: document.createdAt, model: document.modelId, teacher: document.baseModel },
      ...{ request: content.input, answer, isCorrected: (given?.correctedOutput ?? null) !== null },
      ...{ projectId: document.projectId, format: document.format },
      ...{ cost: document.costPicodollars, tokens: allTokens(document) },
    };
  }
}

/** What calls are found by in the history: an answer of another model is none of the teacher's. */
const FOUND_BY = ['task', 'baseModel', 'modelName', 'projectId', 'createdAt'] as const;

const filterOf = (
  where: Filter<InferenceDocument>['where'] | null,
  { projectId, since, until }: WantedCalls,
): Filter<InferenceDocument> => ({
  where: { ...where, task: 'generate', ...(projectId && { projectId }) },
  ...((since || until) && {
    ranges: [{ field: 'createdAt', ...(since && { from: since }), ...(until && { to: until }) }],
  }),
});

const sizeOf = ({ request, answer }: RecordedCall): number =>
  JSON.stringify(request).length + JSON.stringify(answer).length;

const dayOf = (time: string): string => time.slice(0, 10);
