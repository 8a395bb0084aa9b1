import { categoryOf } from '#domain/streams.js';
import type { EventFilter, RecordedEvent } from './port.js';

/** Whether a filter includes an event; no filter includes all. */
export const matches = ({ types, categories }: EventFilter = {}, event: RecordedEvent): boolean =>
  (types?.includes(event.type) ?? true) && (categories?.includes(categoryOf(event.stream)) ?? true);
