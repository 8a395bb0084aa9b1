import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { reviewerOf, type Caller } from '#application/caller.js';
import { InvalidError } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import { labelIn } from '#projections/inferences/facts.js';
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
import { rounded } from '#calls/encoder-result.js';
import { RecordReader } from '../inferences/record-reader.js';
import { CallerQuery } from '../commands-and-queries.js';
import { Novelty } from './novelty.js';
import { randomCalls } from './random-calls.js';
import { Reservations, reviewOf, type ReviewReservation, type Review } from './reservations.js';

export const STRATEGIES = ['uncertain', 'disagreement', 'novel', 'random', 'errors'] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** Calls with one verdict that are looked through for second reviews. */
const MAX_SECOND = 500;
/** Confidences are at most 1; calls without one rank last. */
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

/** Which calls to offer, with the field names of `GET /review`, which its errors name. */
interface ReviewRequest {
  readonly strategy: Strategy;
  readonly limit: number;
  readonly model_id?: string;
  readonly model_name?: string;
  readonly label?: string;
  /** Absent: the caller. */
  readonly reviewer?: string;
  /** Only calls that are assigned to the reviewer. */
  readonly assigned?: boolean;
  readonly seed?: string;
  /** Share of the calls with one verdict, of another reviewer, that are offered again. */
  readonly second_review_share?: number;
}

export interface OfferedCall extends Review {
  readonly strategy: Strategy;
  /** To the nearest training row; null with other strategies than `novel`. */
  readonly distance: number | null;
  readonly confidence: number | null;
  /** The call as lists of calls have it, without verdicts. */
  readonly inference: JsonObject;
  /** The call of its shadow, if a different answer of that is the reason. */
  readonly shadow: JsonObject | null;
}

export class ListReview extends CallerQuery<ReviewRequest, readonly OfferedCall[]> {}

@QueryHandler(ListReview)
export class ListReviewHandler implements IQueryHandler<ListReview> {
  constructor(
    private readonly application: Application,
    private readonly reservations: Reservations,
    private readonly reader: RecordReader,
    private readonly novelty: Novelty,
  ) {}

  /** @throws InvalidError for parameters that do not go together */
  async execute({ caller, input: query }: ListReview): Promise<readonly OfferedCall[]> {
    requireFitting(query);
    const reviewer = reviewerOf(caller, query.reviewer);
    const reservations = await this.reservations.all(caller.workspaceId);
    const isFree = (document: ReviewDocument) => {
      const { reservation } = reviewOf(document, reservations.get(document.id) ?? null);
      return reservation === null || reservation.reviewer === reviewer;
    };
    const most = query.strategy === 'novel' ? MAX_NOVEL : query.limit;
    const found = (await this.first(caller, query, reviewer, most + reservations.size)).filter(isFree).slice(0, most);
    const offers =
      query.strategy === 'novel'
        ? await this.farthestFirst(caller, (query.model_id ?? query.model_name)!, found)
        : found;
    const items = await Promise.all(
      offers.slice(0, query.limit).map((offer) => this.item(query.strategy, offer, reservations.get(offer.id) ?? null)),
    );
    return items.filter((item) => item !== null);
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
    }: ReviewRequest,
    reviewer: string,
    limit: number,
  ): Promise<readonly ReviewDocument[]> {
    const { readStore } = this.application.ports;
    const queues = assigned ? ([`assigned/${reviewer}`] as const) : QUEUES[strategy];
    const isRandom = !assigned && takesAny(strategy);
    // Indexes know the label of the least certain answer alone.
    const part = { workspaceId, modelId, modelName, ...(!takesAny(strategy) && { label }) };
    const range = strategy === 'uncertain' && !assigned ? WITH_CONFIDENCE : undefined;
    const found = isRandom
      ? await this.random({ ...part, label }, seed === undefined ? 0 : shuffledOf(seed), limit)
      : byRank(await Promise.all(queues.map((queue) => ranked(readStore, { ...part, queue }, limit, range))), limit);
    if (share === 0 || assigned) return found;
    const second = await this.second({ ...part, label }, strategy, reviewer, { share, limit });
    const all = [...second, ...found];
    if (isRandom) return all.slice(0, limit);
    return strategy === 'errors' ? newestFirst(all, limit) : byRank([all], limit);
  }

  /** Calls with one verdict, by another reviewer, that the strategy would offer without it. */
  private async second(
    { label, ...part }: Omit<QueuePart, 'queue'>,
    strategy: Strategy,
    reviewer: string,
    { share, limit }: { readonly share: number; readonly limit: number },
  ): Promise<readonly ReviewDocument[]> {
    const { readStore } = this.application.ports;
    const queued = { ...part, queue: 'once', ...(!takesAny(strategy) && { label }) } as const;
    const once = await rankedOfShare(readStore, queued, MAX_SECOND, share);
    const fitting = once.filter(
      (document) => document.verdicts[0]!.reviewer !== reviewer && OFFERED_AGAIN[strategy](document),
    );
    const found: ReviewDocument[] = [];
    for (const document of fitting) {
      if (found.length === Math.ceil(limit * share)) break;
      const isOfLabel =
        label === undefined ||
        !takesAny(strategy) ||
        gives(await inferenceOf(readStore, part.workspaceId, document.id), label);
      if (isOfLabel) found.push(document);
    }
    return found;
  }

  /** Answered calls of encoders that have no verdict, skip or assignment. */
  private async random(
    { workspaceId, modelId, modelName, label }: Omit<QueuePart, 'queue'>,
    seed: number,
    limit: number,
  ): Promise<ReviewDocument[]> {
    const { readStore } = this.application.ports;
    const scope: NumberedScope =
      modelId === undefined
        ? { where: { workspaceId }, ordinal: 'n' }
        : { where: { workspaceId, modelId }, ordinal: 'nModel' };
    const found: ReviewDocument[] = [];
    for await (const call of randomCalls(readStore, scope, seed)) {
      const { id, modelId: asked, task, status, content, shadowOf } = call;
      if (!isReviewable(task) || status === 'failed' || content === null || shadowOf !== undefined) continue;
      if (label !== undefined && !gives(call, label)) continue;
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

  /** Null if the history has not seen the call yet. */
  private async item(strategy: Strategy, offer: Offer, held: ReviewReservation | null): Promise<OfferedCall | null> {
    const { distance = null, ...document } = offer;
    const call = await inferenceOf(this.application.ports.readStore, document.workspaceId, document.id);
    if (call === null) return null;
    // Reviewers do not see each other's verdicts.
    const shadow = await this.shadowOf(strategy, document);
    const [inference, other] = await this.reader.list([{ ...call, feedback: null }, ...(shadow ? [shadow] : [])]);
    return {
      ...reviewOf(document, held),
      ...{ strategy, distance, inference: inference!, shadow: other ?? null },
      confidence: document.confidence ?? call.confidence,
    };
  }

  /** The shadow's call with a different answer, if that is why a call is offered. */
  private async shadowOf(strategy: Strategy, document: ReviewDocument): Promise<InferenceDocument | null> {
    const shadow = document.answers?.shadow;
    if (strategy !== 'disagreement' || !isDiffering(document) || !shadow) return null;
    return inferenceOf(this.application.ports.readStore, document.workspaceId, shadow.inferenceId);
  }
}

/** Whether a strategy samples calls at random, most of which have no place in a queue. */
const takesAny = (strategy: Strategy): boolean => strategy === 'random' || strategy === 'novel';

const OFFERED_AGAIN: Readonly<Record<Strategy, (document: ReviewDocument) => boolean>> = {
  uncertain: ({ confidence }) => confidence !== null,
  random: () => true,
  novel: () => true,
  errors: ({ failed }) => failed,
  disagreement: isDiffering,
};

/** Whether an answer has a label, class or relation. */
function gives(call: InferenceDocument | null, label: string): boolean {
  const part = labelIn(label);
  return part !== null && (call?.labels?.includes(part) ?? false);
}

const newestFirst = (documents: readonly ReviewDocument[], limit: number): readonly ReviewDocument[] =>
  documents.toSorted((a, b) => Date.parse(b.at!) - Date.parse(a.at!)).slice(0, limit);

/** The first of several queues, each of which is read by its index. */
const byRank = (queues: readonly (readonly ReviewDocument[])[], limit: number): readonly ReviewDocument[] =>
  queues
    .flat()
    .sort((a, b) => a.rank - b.rank)
    .slice(0, limit);

function requireFitting(query: ReviewRequest): void {
  const { strategy, model_id, model_name, label, seed } = query;
  const isRandom = takesAny(strategy);
  const isOfModel = model_id !== undefined || model_name !== undefined;
  const problems: readonly (readonly [string, boolean, string, string?])[] = [
    ['label', label !== undefined && !isOfModel, 'needs model_id or model_name, whose label it is'],
    ['seed', seed !== undefined && !isRandom, 'is for strategy=random and strategy=novel'],
    ['model_name', model_name !== undefined && model_id !== undefined, 'is sent instead of model_id, not beside it'],
    ['model_id', strategy === 'novel' && !isOfModel, 'or model_name is required with strategy=novel', 'missing'],
  ];
  const fields = problems.flatMap(([name, isWrong, message, type = 'not_allowed']) =>
    isWrong ? [{ path: ['query', name], message, type }] : [],
  );
  if (fields.length > 0) throw new InvalidError(fields);
}
