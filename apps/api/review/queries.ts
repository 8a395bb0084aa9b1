import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { reviewerOf, type Caller } from '#application/caller.js';
import { InvalidError } from '#domain/errors.js';
import { inferenceOf } from '#projections/inferences/queries.js';
import { shuffledOf, shuffledUpTo, type ReviewDocument, type ReviewQueue } from '#projections/reviews/projection.js';
import { ranked, shuffled, type QueuePart } from '#projections/reviews/queries.js';
import { RecordReader } from '../inferences/record-reader.js';
import { CallerQuery } from '../messages.js';
import type { ReviewItem, ReviewPage, ReviewQuery, Strategy } from './dto.js';
import { reasonOf, stateRecord } from './record.js';
import { Reservations } from './reservations.js';

/** Calls with one verdict that are looked through for second reviews. */
const MAX_SECOND = 500;
/** Confidences are at most 1; calls without one rank behind. */
const WITH_CONFIDENCE = { to: 1 };

const QUEUES: Readonly<Record<Strategy, ReviewQueue>> = {
  uncertain: 'open',
  random: 'open',
  errors: 'errors',
  disagreement: 'disputed',
};

export class ListReview extends CallerQuery<ReviewQuery, ReviewPage> {}

@QueryHandler(ListReview)
export class ListReviewHandler implements IQueryHandler<ListReview> {
  constructor(
    private readonly application: Application,
    private readonly reservations: Reservations,
    private readonly reader: RecordReader,
  ) {}

  /** @throws InvalidError for parameters that do not go together */
  async execute({ caller, input: query }: ListReview): Promise<ReviewPage> {
    requireFitting(query);
    const reviewer = reviewerOf(caller, query.reviewer);
    const reservations = await this.reservations.all(caller.workspaceId);
    const isFree = ({ id }: ReviewDocument) => (reservations.get(id)?.reviewer ?? reviewer) === reviewer;
    const found = await this.first(caller, query, reviewer, query.limit + reservations.size);
    const documents = found.filter(isFree).slice(0, query.limit);
    const items = await Promise.all(
      documents.map((document) => this.item(query.strategy, document, reservations.get(document.id) ?? null)),
    );
    return { items: items.filter((item) => item !== null) };
  }

  private async first(
    { workspaceId }: Caller,
    { strategy, model_id: modelId, label, assigned, seed, second_review_share: share = 0 }: ReviewQuery,
    reviewer: string,
    limit: number,
  ): Promise<readonly ReviewDocument[]> {
    const { readStore } = this.application.ports;
    const queue = assigned ? (`assigned/${reviewer}` as const) : QUEUES[strategy];
    const part: QueuePart = { workspaceId, queue, modelId, label };
    const from = seed === undefined ? 0 : shuffledOf(seed);
    const isRandom = strategy === 'random';
    const range = strategy === 'uncertain' && !assigned ? WITH_CONFIDENCE : undefined;
    const found = isRandom
      ? await shuffled(readStore, part, limit, { from })
      : await ranked(readStore, part, limit, range);
    if (share === 0 || assigned) return found;
    const once = await shuffled(readStore, { ...part, queue: 'once' }, MAX_SECOND, { to: shuffledUpTo(share) });
    const second = once.filter(
      ({ verdicts, confidence }) => verdicts[0]!.reviewer !== reviewer && (isRandom || confidence !== null),
    );
    const place = (document: ReviewDocument) =>
      isRandom ? (document.shuffled - from + 2 ** 32) % 2 ** 32 : document.rank;
    return [...found, ...second].sort((a, b) => place(a) - place(b)).slice(0, limit);
  }

  /** Null where the history has not seen the call yet. */
  private async item(
    strategy: Strategy,
    document: ReviewDocument,
    reservation: Parameters<typeof stateRecord>[1],
  ): Promise<ReviewItem | null> {
    const call = await inferenceOf(this.application.ports.readStore, document.workspaceId!, document.id);
    if (call === null) return null;
    // Reviewers do not see each other's verdicts.
    const [inference] = await this.reader.list([{ ...call, feedback: null }]);
    const { confidence, label } = document;
    const reason = reasonOf(strategy, document);
    return { ...stateRecord(document, reservation), reason, confidence, label, inference: inference! };
  }
}

function requireFitting({ strategy, model_id, label, seed, second_review_share: share }: ReviewQuery): void {
  const problems: readonly (readonly [string, boolean, string])[] = [
    ['label', label !== undefined && model_id === undefined, 'needs model_id, whose label it is'],
    ['seed', seed !== undefined && strategy !== 'random', 'is for strategy=random'],
    [
      'second_review_share',
      share !== undefined && strategy !== 'random' && strategy !== 'uncertain',
      'is for strategy=uncertain and strategy=random',
    ],
  ];
  const fields = problems.flatMap(([name, isWrong, message]) =>
    isWrong ? [{ path: ['query', name], message, type: 'not_allowed' }] : [],
  );
  if (fields.length > 0) throw new InvalidError(fields);
}
