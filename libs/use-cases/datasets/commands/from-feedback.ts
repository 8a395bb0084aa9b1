import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext, type Caller } from '#application/caller.js';
import type { CommandContext } from '#log/context.js';
import { datasetStreamId, removedForGood } from '#application/datasets.js';
import { derivedId } from '#log/execute.js';
import { initializedBy, initializeVersion, sealVersion } from '../new-versions.js';
import { OWN_ROWS } from '#rows/formats/index.js';
import {
  DATASET_NAME,
  datasetDecider,
  type DatasetType,
  type DatasetVersion,
  type PinnedObject,
} from '#domain/dataset/index.js';
import { ConflictError, InvalidError } from '#domain/errors.js';
import { isRight, rightOutput } from '#domain/feedback/index.js';
import type { Json } from '#domain/json.js';
import type { FeedbackRow } from '#rows/merging/index.js';
import { ObjectNotFoundError } from '#ports/object-store/port.js';
import { feedbackDocuments } from '#projections/feedback/queries.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import { inferenceOf } from '#projections/inferences/queries.js';
import { allChecks } from '../../all-checks.js';
import { textsAsked } from '#domain/inference/index.js';
import { documentOnLog, notOnLog } from '../../calls/call-on-log.js';
import { CallContents } from '../../calls/call-contents.js';
import { WorkQueues } from '../../limits/work-queues.js';
import { CallerCommand } from '../../commands-and-queries.js';
import { requireProject } from '../../projects/require-project.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { isRecord } from '#primitives/values.js';
import type { FeedbackOrder, LeftOutFeedback, MergedVersion } from '../feedback/order.js';
import { FeedbackMerging } from '../feedback/merging.js';
import { withNamedTasks } from '../feedback/named-tasks.js';
import { pairOf, Pairs } from '../feedback/pairs.js';
import { feedbackRows, isHeldOut, labelsIn, type JudgedText } from '../feedback/rows.js';
import { requireOwnName } from '../own-name.js';

/** Calls that one request reads. */
const MAX_CALLS = 10_000;

export class MakeFromFeedback extends CallerCommand<FeedbackOrder, MadeFromFeedback> {}

/** A new version, and the one of the rows held out. */
export interface MadeFromFeedback {
  readonly version: DatasetVersion;
  readonly heldOut: DatasetVersion | null;
  /** Rows made from feedback, in both. */
  readonly rows: number;
  readonly conflicts: Collected['conflicts'];
  readonly leftOut: LeftOutFeedback;
  readonly merged: MergedVersion | null;
}

/** Result of a request, with its rows stored. */
type Collected = Omit<ReturnType<typeof feedbackRows>, 'rows'> & {
  readonly rows: number;
  readonly train: PinnedObject;
  readonly heldOut: PinnedObject | null;
  readonly leftOut: LeftOutFeedback;
  readonly merged: MergedVersion | null;
  readonly datasetType: DatasetType;
};

/**
 * Builds a version from feedback. The rows are stored and then processed like those of an upload. A request's collected
 * rows are kept, so that a repeat finds the same.
 */
@CommandHandler(MakeFromFeedback)
export class MakeFromFeedbackHandler implements ICommandHandler<MakeFromFeedback> {
  constructor(
    private readonly application: Application,
    private readonly contents: CallContents,
    private readonly queues: WorkQueues,
    private readonly merging: FeedbackMerging,
    private readonly secret: SecretKey,
  ) {}

  async execute({ caller, identity, input: body }: MakeFromFeedback): Promise<MadeFromFeedback> {
    const { workspaceId } = caller;
    const context = callerContext(caller, identity);
    const known = await this.application.recall(datasetDecider, datasetStreamId(workspaceId, body.dataset_name), {
      ...identity,
      commandId: initializedBy(context),
    });
    const prefix = `datasets/${workspaceId}/feedback/${derivedId(context.commandId, 'feedback')}`;
    const keptAt = `${prefix}/collected.json`;
    const collected = known
      ? await this.kept(keptAt)
      : await this.queues.enter('dataset-processing', caller, () => this.collect(caller, body, prefix));
    const keptObject = known
      ? undefined
      : await this.application.ports.objectStore.put(keptAt, Buffer.from(JSON.stringify(collected)));
    const { rows, train, heldOut, conflicts, leftOut, merged } = collected;
    const of = { ...collected, keptObject };
    const version = await this.make(caller, body, body.dataset_name, of, train, context);
    const heldOutId = derivedId(context.commandId, 'held-out');
    const held =
      heldOut &&
      (await this.make(caller, body, heldOutName(body), { ...of, merged: null }, heldOut, {
        ...context,
        commandId: heldOutId,
      }));
    return { version, heldOut: held, rows, conflicts, leftOut, merged };
  }

  private async make(
    { workspaceId }: Caller,
    body: FeedbackOrder,
    name: string,
    {
      datasetType,
      merged,
      keptObject,
    }: Pick<Collected, 'datasetType' | 'merged'> & { keptObject: PinnedObject | undefined },
    source: PinnedObject,
    context: CommandContext,
  ): Promise<DatasetVersion> {
    const of = {
      workspaceId,
      name,
      datasetType,
      generationType: 'feedback',
      projectId: body.project_id ?? null,
    } as const;
    const layout = merged || datasetType === 'decoder' ? OWN_ROWS : 'inference';
    const mergedWith = merged && {
      name: merged.dataset_name,
      versionNumber: Number(merged.version_number),
      versionId: merged.dataset_id,
    };
    const version = await initializeVersion(
      this.application,
      { ...of, layout, ...(mergedWith && { mergedWith }) },
      context,
    );
    await sealVersion(this.application, version, source, context, keptObject);
    return version;
  }

  /** @throws ConflictError when a version that the request had made was erased since, or made room for others */
  private async kept(key: string): Promise<Collected> {
    try {
      const chunks = await Array.fromAsync(await this.application.ports.objectStore.get(key));
      return JSON.parse(Buffer.concat(chunks).toString()) as Collected;
    } catch (error) {
      throw error instanceof ObjectNotFoundError ? removedForGood() : error;
    }
  }

  private async collect(caller: Caller, body: FeedbackOrder, prefix: string): Promise<Collected> {
    const { workspaceId } = caller;
    const share = body.held_out_share ?? 0;
    if (body.dataset_type === 'decoder') refuseForPairs(body);
    if (share > 0) requireName(heldOutName(body));
    const [base] = await allChecks(
      this.merging.base(workspaceId, body),
      requireProject(this.application, workspaceId, body.project_id),
      requireOwnName(this.application, workspaceId, body.dataset_name, 'dataset_name'),
      requireOwnName(this.application, workspaceId, heldOutName(body), 'dataset_name'),
      this.application.storage.requireRoom(workspaceId, { rows: 1 }),
    );
    if (base)
      await this.application.storage.requireRoom(workspaceId, { rows: base.contents.rows, bytes: base.object.size });
    const leftOut = {
      unsure: 0,
      without_content: 0,
      other_tasks: 0,
      excluded_subjects: 0,
      without_pair: 0,
      duplicates: 0,
    };
    const excluded = new Set(body.exclude_subjects ?? []);
    const pairs = body.dataset_type === 'decoder' ? new Pairs() : null;
    const judged: JudgedText[] = [];
    const calls = await this.calls(workspaceId, body);
    for (const document of calls)
      if (document.subject !== null && excluded.has(document.subject)) leftOut.excluded_subjects += 1;
      else judged.push(...(await this.judged(document, body, pairs, leftOut)));
    const wanted = judged.filter(({ answer }) => !body.label || labelsIn(answer).has(body.label));
    const { rows: chosen, conflicts } = feedbackRows(wanted, body.conflicts ?? 'newest');
    const rows = await withNamedTasks(this.application, workspaceId, chosen, calls);
    leftOut.duplicates = wanted.length - rows.length;
    const [heldOut, train] = [true, false].map((held) => rows.filter(({ text }) => isHeldOut(text, share) === held));
    if (train!.length === 0)
      throw new ConflictError(
        `this feedback gives no row (left out: ${JSON.stringify(leftOut)}, held out: ${heldOut!.length}); ` +
          (leftOut.other_tasks > 0
            ? `corrections of decoders give rows with dataset_type decoder, all other feedback without it`
            : 'calls with store: false take no feedback'),
      );
    if (base) this.merging.requireFit(base, rows);
    const { objectStore } = this.application.ports;
    const stored = (name: string, of: readonly FeedbackRow[]): Promise<PinnedObject> =>
      objectStore.put(`${prefix}/${name}`, linesOf(of, pairs));
    const held = heldOut!.length === 0 ? null : await stored('held-out.jsonl', heldOut!);
    const merged =
      base &&
      (await this.merging.put(workspaceId, base, `${prefix}/rows.jsonl`, {
        rows: train!,
        heldOut: heldOut!,
        excluded,
      }));
    const hasEntities = rows.some(({ result }) => result['entities'] !== undefined);
    return {
      ...{ rows: rows.length, heldOut: held, conflicts, leftOut },
      train: merged ? merged.object : await stored('rows.jsonl', train!),
      merged: merged && merged.record,
      datasetType: pairs ? 'decoder' : merged ? merged.datasetType : hasEntities ? 'ner' : 'classification',
    };
  }

  /** Calls with verdicts in the requested time, of the model and project: found in the history, and taken from the log. */
  private async calls(workspaceId: string, body: FeedbackOrder) {
    const { since, until } = body;
    const { readStore } = this.application.ports;
    const found = await feedbackDocuments.all(readStore, {
      where: { workspaceId },
      range: { field: 'at', ...(since && { from: since }), ...(until && { to: until }) },
      order: { field: 'at', direction: 'ascending' },
    });
    const documents: InferenceDocument[] = [];
    for (const { id } of found) {
      const known = await inferenceOf(readStore, workspaceId, id);
      if (!known || !isAsked(known, body)) continue;
      const document = await documentOnLog(this.application, this.secret, {
        inferenceId: id,
        workspaceId,
        position: known.position,
      });
      if (document === null) throw notOnLog(id);
      if (!isAsked(document, body)) continue;
      if (documents.length === MAX_CALLS)
        throw new InvalidError({
          path: ['body', 'since'],
          message: `more than ${MAX_CALLS} calls have feedback; ask for less with since, until, model or project_id`,
          type: 'out_of_range',
        });
      documents.push(document);
    }
    return documents;
  }

  /** The right answer to each text of a call according to each reviewer. */
  private async judged(
    document: InferenceDocument,
    { verdict: wanted }: FeedbackOrder,
    pairs: Pairs | null,
    leftOut: LeftOutFeedback,
  ): Promise<JudgedText[]> {
    const { id: inferenceId, task } = document;
    if (task === 'embed' || (task === 'generate') !== (pairs !== null)) {
      leftOut.other_tasks += 1;
      return [];
    }
    const { input = null, output = null } = (await this.contents.within(document, (content) => content)) ?? {};
    const { texts, isBatch } = textsAsked(input);
    const judged: JudgedText[] = [];
    for (const { verdict, correctedOutput, at } of await this.contents.verdicts(document)) {
      const isUnsure = isRight(verdict) === null;
      if (isUnsure) leftOut.unsure += 1;
      if (isUnsure || (wanted && verdict !== wanted)) continue;
      const right = rightOutput(verdict, output, correctedOutput);
      if (pairs) {
        const pair = pairOf(input, output, right);
        if (pair) judged.push(pairs.judged(pair, inferenceId, at));
        else leftOut.without_pair += 1;
        continue;
      }
      if (input === null || texts === null || right === null) {
        leftOut.without_content += 1;
        continue;
      }
      const answers = isBatch ? (right as readonly Json[]) : [right];
      texts.forEach((text, index) => {
        const answer = answers[index];
        if (isRecord(answer)) judged.push({ text, answer: answer, inferenceId, at });
      });
    }
    return judged;
  }
}

const isAsked = ({ modelId, projectId }: InferenceDocument, { model, project_id: project }: FeedbackOrder): boolean =>
  (!project || projectId === project) && (!model || modelId === model || modelId.startsWith(`${model}@`));

const linesOf = (rows: readonly FeedbackRow[], pairs: Pairs | null): Buffer =>
  Buffer.from(rows.map((row) => `${JSON.stringify(pairs ? pairs.row(row) : withoutTime(row))}\n`).join(''));

const withoutTime = ({ at: _, ...row }: FeedbackRow) => row;

const heldOutName = ({ dataset_name: name }: FeedbackOrder): string => `${name}-held-out`;

/** @throws InvalidError for fields that rows of decoders have no use for */
function refuseForPairs(body: FeedbackOrder): void {
  for (const field of ['label', 'merge_with'] as const)
    if (body[field])
      throw new InvalidError({
        path: ['body', field],
        message: 'is for rows of encoders; leave it out with dataset_type decoder',
        type: 'not_allowed',
      });
}

function requireName(name: string): void {
  if (DATASET_NAME.test(name)) return;
  throw new InvalidError({
    path: ['body', 'dataset_name'],
    message: `must be short enough that ${JSON.stringify(name)} has at most 128 characters`,
    type: 'out_of_range',
  });
}
