import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { reviewerOf, type Caller } from '#application/caller.js';
import { InvalidError } from '#domain/errors.js';
import { inferenceOf, type NumberedScope } from '#projections/inferences/queries.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import {
  isDiffering,
  isReviewable,
  shuffledOf,
  unmarked,
  type ReviewDocument,
  type ReviewQueue,
} from '#projections/reviews/projection.js';
import { ranked, rankedOfShare, reviewDocuments, type QueuePart } from '#projections/reviews/queries.js';
import { rounded } from '../dialects/native/encode.js';
import { RecordReader } from '../inferences/record-reader.js';
import { CallerQuery } from '../messages.js';
import type { ReviewItem, ReviewPage, ReviewQuery, Strategy } from './dto.js';
import { Novelty } from './novelty.js';
import { randomCalls } from './random-calls.js';
import { reasonOf, reservationOn, shadowAnswer, stateRecord } from './record.js';
import { Reservations, type Reservation } from './reservations.js';

/** Calls with one verdict that are looked through for second reviews. */
const MAX_SECOND = 500;
/** Confidences are at most 1; calls without one rank behind. */
const WITH_CONFIDENCE = { to: 1 };

const UNJUDGED: readonly ReviewQueue[] = ['open', 'differing'];
const QUEUES: Readonly<Record<Strategy, readonly ReviewQueue[]>> = {
  uncertain: UNJUDGED,
  random: UNJUDGED,
  novel: UNJUDGED,
  errors: ['errors'],
  disagreement: ['disputed', 'differing'],
};

/** Calls that `novel` compares with training rows, for a page: the model reads them for it. */
const MAX_NOVEL = 100;

/** A call that is offered; by `novel` with its distance to the nearest training row. */
type Offer = ReviewDocument & { readonly distance?: number };

export class ListReview extends CallerQuery<ReviewQuery, ReviewPage> {}

@QueryHandler(ListReview)
export class ListReviewHandler implements IQueryHandler<ListReview> {
  constructor(
    private readonly application: Application,
    private readonly reservations: Reservations,
    private readonly reader: RecordReader,
    private readonly novelty: Novelty,
  ) {}

  /** @throws InvalidError for parameters that do not go together */
  async execute({ caller, input: query }: ListReview): Promise<ReviewPage> {
    requireFitting(query);
    const reviewer = reviewerOf(caller, query.reviewer);
    const reservations = await this.reservations.all(caller.workspaceId);
    const isFree = (document: ReviewDocument) => {
      const held = reservationOn(document, reservations.get(document.id) ?? null);
      return held === null || held.reviewer === reviewer;
    };
    const most = query.strategy === 'novel' ? MAX_NOVEL : query.limit;
    const found = (await this.first(caller, query, reviewer, most + reservations.size)).filter(isFree).slice(0, most);
    const offers = query.strategy === 'novel' ? await this.farthestFirst(caller, query.model_id!, found) : found;
    const items = await Promise.all(
      offers.slice(0, query.limit).map((offer) => this.item(query.strategy, offer, reservations.get(offer.id) ?? null)),
    );
    return { items: items.filter((item) => item !== null) };
  }

  private async first(
    { workspaceId }: Caller,
    {
      strategy,
      model_id: modelId,
      model_name: modelName,
      label,
      assigned,
      seed,
      second_review_share: share = 0,
    }: ReviewQuery,
    reviewer: string,
    limit: number,
  ): Promise<readonly ReviewDocument[]> {
    const { readStore } = this.application.ports;
    const queues = assigned ? ([`assigned/${reviewer}`] as const) : QUEUES[strategy];
    const part = { workspaceId, modelId, modelName, label };
    const isRandom = !assigned && (strategy === 'random' || strategy === 'novel');
    const range = strategy === 'uncertain' && !assigned ? WITH_CONFIDENCE : undefined;
    const found = isRandom
      ? await this.random(part, seed === undefined ? 0 : shuffledOf(seed), limit)
      : byRank(await Promise.all(queues.map((queue) => ranked(readStore, { ...part, queue }, limit, range))), limit);
    if (share === 0 || assigned) return found;
    const once = await rankedOfShare(readStore, { ...part, queue: 'once' }, MAX_SECOND, share);
    const second = once
      .filter(({ verdicts, confidence }) => verdicts[0]!.reviewer !== reviewer && (isRandom || confidence !== null))
      .slice(0, Math.ceil(limit * share));
    const all = [...second, ...found];
    return isRandom ? all.slice(0, limit) : byRank([all], limit);
  }

  /** Answered calls of encoders that have no verdict, skip or assignment. */
  private async random(
    { workspaceId, modelId, modelName }: Omit<QueuePart, 'queue'>,
    seed: number,
    limit: number,
  ): Promise<ReviewDocument[]> {
    const { readStore } = this.application.ports;
    const scope: NumberedScope =
      modelId === undefined
        ? { where: { workspaceId }, ordinal: 'n' }
        : { where: { workspaceId, modelId }, ordinal: 'nModel' };
    const found: ReviewDocument[] = [];
    for await (const { id, modelId: asked, task, status, content, shadowOf } of randomCalls(readStore, scope, seed)) {
      if (!isReviewable(task) || status === 'failed' || content === null || shadowOf !== undefined) continue;
      const known = await reviewDocuments.get(readStore, id);
      const document = known ?? unmarked({ inferenceId: id, workspaceId, modelId: asked });
      const isAsked = modelName === undefined || document.modelName === modelName;
      if (isAsked && UNJUDGED.includes(document.queue)) found.push(document);
      if (found.length === limit) break;
    }
    return found;
  }

  private async farthestFirst(
    caller: Caller,
    modelId: string,
    documents: readonly ReviewDocument[],
  ): Promise<readonly Offer[]> {
    const distances = await this.novelty.distances(caller, modelId, documents);
    const known = documents.flatMap((document) => {
      const distance = distances.get(document.id);
      return distance === undefined ? [] : [{ ...document, distance: rounded(distance) }];
    });
    return known.sort((a, b) => b.distance - a.distance);
  }

  /** Null where the history has not seen the call yet. */
  private async item(strategy: Strategy, document: Offer, reservation: Reservation | null): Promise<ReviewItem | null> {
    const call = await inferenceOf(this.application.ports.readStore, document.workspaceId, document.id);
    if (call === null) return null;
    // Reviewers do not see each other's verdicts.
    const shadow = await this.shadowOf(strategy, document);
    const [inference, other] = await this.reader.list([{ ...call, feedback: null }, ...(shadow ? [shadow] : [])]);
    const { confidence, label, distance = null } = document;
    const reason = { ...reasonOf(strategy, document, distance), ...(other && { shadow: shadowAnswer(other) }) };
    const stated = { ...stateRecord(document, reservation), reason, label };
    return { ...stated, confidence: confidence ?? call.confidence, inference: inference! };
  }

  /** The call of a shadow that answered otherwise, where that is why a call is offered. */
  private async shadowOf(strategy: Strategy, document: ReviewDocument): Promise<InferenceDocument | null> {
    const shadow = document.answers?.shadow;
    if (strategy !== 'disagreement' || !isDiffering(document) || !shadow) return null;
    return inferenceOf(this.application.ports.readStore, document.workspaceId, shadow.inferenceId);
  }
}

/** The first of several queues, each of which is read by its index. */
const byRank = (queues: readonly (readonly ReviewDocument[])[], limit: number): readonly ReviewDocument[] =>
  queues
    .flat()
    .sort((a, b) => a.rank - b.rank)
    .slice(0, limit);

function requireFitting(query: ReviewQuery): void {
  const { strategy, model_id, model_name, label, seed, second_review_share: share } = query;
  const isRandom = strategy === 'random' || strategy === 'novel';
  const problems: readonly (readonly [string, boolean, string, string?])[] = [
    ['label', label !== undefined && model_id === undefined, 'needs model_id, whose label it is'],
    ['label', label !== undefined && isRandom, 'is for strategy=uncertain, errors and disagreement'],
    ['seed', seed !== undefined && !isRandom, 'is for strategy=random and strategy=novel'],
    ['model_name', model_name !== undefined && model_id !== undefined, 'is sent instead of model_id, not beside it'],
    ['model_id', strategy === 'novel' && model_id === undefined, 'is required with strategy=novel', 'missing'],
    [
      'second_review_share',
      share !== undefined && strategy !== 'random' && strategy !== 'uncertain',
      'is for strategy=uncertain and strategy=random',
    ],
  ];
  const fields = problems.flatMap(([name, isWrong, message, type = 'not_allowed']) =>
    isWrong ? [{ path: ['query', name], message, type }] : [],
  );
  if (fields.length > 0) throw new InvalidError(fields);
}
