import { wordsOfLabel } from './label-names.js';

/** Names that mean "none of the other labels", which say nothing about a text: "other" is never its subject. */
const NONE = new Set(
  (
    'other, others, none, none of these, none of those, none of the above, none of them, no label, no match, no intent, nothing, ' +
    'something else, anything else, everything else, misc, miscellaneous, unknown, unspecified, undefined, uncategorized, ' +
    'unclassified, unrelated, irrelevant, not applicable, n a, out of scope, oos, out of domain'
  ).split(', '),
);
/** Names with a meaning that fits a text without any evidence more often than the labels beside them. */
const LIKELY = new Set(['neutral', 'general', 'no']);

/** True for a label for texts that no other label fits. */
export const meansNone = (label: string): boolean => NONE.has(nameOf(label));

/** True for a label that a text has when nothing speaks for another. */
export const isDefault = (label: string): boolean => meansNone(label) || LIKELY.has(nameOf(label));

const nameOf = (label: string): string => wordsOfLabel(label).toLowerCase();
