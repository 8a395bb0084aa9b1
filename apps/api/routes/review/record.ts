import type { JsonObject } from '#domain/json.js';
import type { ReviewDocument } from '#projections/reviews/projection.js';
import type { OfferedCall } from '#use-cases/review/queries.js';
import type { Review } from '#use-cases/review/reservations.js';
import type { ReviewItem, ReviewState, ShadowAnswer } from './dto.js';

export function stateRecord({ document, reservation }: Review): ReviewState {
  const { id, queue, assignee } = document;
  const isAssigned = queue?.startsWith('assigned/') ?? false;
  return {
    inference_id: id,
    state: stateOf(queue, isAssigned, reservation !== null),
    assigned_to: isAssigned ? assignee : null,
    reserved_by: reservation?.reviewer ?? null,
    reserved_until: reservation?.until ?? null,
  };
}

export const itemRecord = (offered: OfferedCall): ReviewItem => ({
  ...stateRecord(offered),
  reason: { ...reasonOf(offered), ...(offered.shadow && { shadow: shadowAnswer(offered.shadow) }) },
  label: offered.document.label,
  confidence: offered.confidence,
  inference: offered.inference,
});

function stateOf(queue: ReviewDocument['queue'], isAssigned: boolean, isReserved: boolean): string {
  if (queue === 'skipped' || queue === 'done') return queue;
  if (isReserved) return 'reserved';
  return isAssigned ? 'assigned' : 'open';
}

/** @param record of a shadow call, as lists have it */
const shadowAnswer = ({ id, model_version, output }: JsonObject): ShadowAnswer => ({
  ...{ inference_id: id as string, model_version: model_version as number },
  output: output ?? null,
});

/** Why a strategy offers a call. Reveals nothing about a verdict. */
function reasonOf({ strategy, document, distance }: OfferedCall): ReviewItem['reason'] {
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
