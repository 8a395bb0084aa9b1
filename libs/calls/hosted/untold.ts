import { pageOf } from '../citations.js';
import type { Dropped } from './dropped.js';
import type { GenerationEvent, GenerationRequest } from './port.js';

/** Names what of an answer the caller's dialect cannot say: parts and fields that only another style has. */
export const namingUntold =
  ({ verbatim }: GenerationRequest, dropped: Dropped) =>
  (events: readonly GenerationEvent[]): readonly GenerationEvent[] => {
    for (const event of events)
      if (event.type === 'foreign' && event.style !== verbatim?.style)
        for (const name of namesOf(event.value)) dropped.leftOut(`answer.${name}`);
    return events;
  };

/** A block or a delta by its type, fields by their names; sources are told in every dialect. */
function namesOf(value: Extract<GenerationEvent, { type: 'foreign' }>['value']): readonly string[] {
  const { type, citation } = value;
  if (typeof type !== 'string') return Object.keys(value).filter((name) => name !== 'annotations');
  return pageOf(citation) === null ? [type] : [];
}
