import type { JsonObject } from '#domain/json.js';
import type { ReviewDocument } from '#projections/reviews/projection.js';
import type { ReviewItem, ReviewState, ShadowAnswer, Strategy } from './dto.js';
import type { Reservation } from '#use-cases/review/reservations.js';

/** A reservation as it counts: one by the only reviewer with a verdict precedes that verdict, and is over. */
export const reservationOn = ({ queue, verdicts }: ReviewDocument, held: Reservation | null): Reservation | null =>
  queue === 'once' && verdicts[0]?.reviewer === held?.reviewer ? null : held;

/** State of the review of a call. */
export function stateRecord(document: ReviewDocument, held: Reservation | null): ReviewState {
  const { id, queue, assignee } = document;
  const reservation = reservationOn(document, held);
  const isAssigned = queue?.startsWith('assigned/') ?? false;
  return {
    inference_id: id,
    state: stateOf(queue, isAssigned, reservation !== null),
    assigned_to: isAssigned ? assignee : null,
    reserved_by: reservation?.reviewer ?? null,
    reserved_until: reservation?.until ?? null,
  };
}

function stateOf(queue: ReviewDocument['queue'], isAssigned: boolean, isReserved: boolean): string {
  if (queue === 'skipped' || queue === 'done') return queue;
  if (isReserved) return 'reserved';
  return isAssigned ? 'assigned' : 'open';
}

/** @param record of a shadow call, as lists have it */
export const shadowAnswer = ({ id, model_version, output }: JsonObject): ShadowAnswer => ({
  ...{ inference_id: id as string, model_version: model_version as number },
  output: output ?? null,
});

/** Why a strategy offers a call. Reveals nothing about a verdict. */
export function reasonOf(strategy: Strategy, document: ReviewDocument, distance: number | null): ReviewItem['reason'] {
  const { confidence, label, failed, verdicts, answers } = document;
  switch (strategy) {
    case 'uncertain':
      return confidence === null
        ? { strategy, value: null, text: 'nothing was found' }
        : {
            strategy,
            value: confidence,
            text: `the least certain answer, ${label}, has a confidence of ${confidence}`,
          };
    case 'novel':
      return { strategy, value: distance, text: `the nearest training row is at a distance of ${distance}` };
    case 'random':
      return { strategy, value: null, text: 'chosen at random' };
    case 'errors':
      return { strategy, value: null, text: failed ? 'the call failed' : 'the answer is wrong and has no correction' };
    case 'disagreement':
      if (verdicts.length < 2 && answers?.called && answers.shadow) {
        const { called, shadow } = answers;
        const text = `version ${called.version} and its shadow, version ${shadow.version}, answered differently`;
        return { strategy, value: null, text };
      }
      return { strategy, value: verdicts.length, text: `the verdicts of ${verdicts.length} reviewers differ` };
  }
}
