import type { GenerationEvent } from './port.js';

/** Whether it says something of the answer itself, and not only about it: from here on the caller has a part of it. */
export const isProduced = ({ type }: GenerationEvent): boolean => type !== 'usage' && type !== 'details';
