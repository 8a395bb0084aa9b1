import type { GenerationEvent } from './port.js';

/**
 * Whether the event is part of the answer rather than about it: from the first one on, the caller has a part of the
 * answer.
 */
export const isProduced = ({ type }: GenerationEvent): boolean => type !== 'usage' && type !== 'details';
