import type { Head } from '#domain/dataset/index.js';

/** A list of the first `MAX_EXAMPLES` entries. */
export interface Examples<T> {
  /** Number of all entries, shown or not. */
  readonly total: number;
  readonly shown: readonly T[];
}

/** A row whose text is in an earlier row too. Rows are counted from 1. */
export interface Repetition {
  readonly row: number;
  /** The first row with that text. */
  readonly sameAs: number;
}

export interface Conflict extends Repetition {
  /** The head for which the two rows have different labels: one of `HEADS`, or a classification task by its name. */
  readonly head: string;
}

export interface Leak {
  readonly row: number;
  /** The first row of the held-out version with that text. */
  readonly heldOutRow: number;
  /** Whether the texts are equal before normalisation too. */
  readonly isExact: boolean;
}

export interface LabelCount {
  readonly label: string;
  readonly rows: number;
  /** Occurrences; a row may have a label several times. */
  readonly count: number;
}

export interface HeadReport {
  /** One of `HEADS`, or a classification task by its name. */
  readonly head: string;
  /** Rows with labels for this head. */
  readonly rows: number;
  /** Rows whose list for this head is empty. */
  readonly emptyRows: number;
  /** Most frequent first. */
  readonly labels: Examples<LabelCount>;
}

export interface RareLabel {
  readonly head: string;
  readonly label: string;
  readonly rows: number;
}

/** Labels of a head that differ only in case, white space, Unicode form or punctuation at the ends. */
export interface SimilarLabels {
  /** One of `HEADS`, or a classification task by its name. */
  readonly head: string;
  /** Most frequent first. */
  readonly labels: readonly string[];
}

/**
 * Why a span cannot be learned. `not_found`: it is not at its given place; `blank`: it contains only white space;
 * `overlapping`: it overlaps a longer span, and is an answer only to requests for nested spans; `within_token`: it
 * begins or ends inside a token.
 */
export type SpanFault = 'not_found' | 'blank' | 'overlapping' | 'within_token';

export interface UnalignedSpan {
  readonly row: number;
  readonly label: string;
  /** At most `MAX_EXCERPT` UTF-16 units of it. */
  readonly text: string;
  readonly fault: SpanFault;
}

/** An annotation that its row lists before, at the same place of the text: it counts once. */
export interface RepeatedAnnotation {
  readonly row: number;
  readonly head: Head;
  /** The label of the entity, or the name of the structure or relation. */
  readonly label: string;
}

export interface Quantiles {
  /** Rows that were measured. */
  readonly rows: number;
  readonly min: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

export interface HeldOutReport {
  readonly rows: number;
  /** The first rows, up to `MAX_COMPARED_ROWS`, whose texts were compared. */
  readonly comparedRows: number;
  readonly leaks: Examples<Leak>;
  /** Leaks whose texts are equal before normalisation too. */
  readonly exactLeaks: number;
  /** Rows of the held-out version whose text is also in the version. */
  readonly leakedRows: number;
}

/** Report on the rows of a version: what a model would learn from them, and what would mislead it. */
export interface VersionReport {
  readonly rows: number;
  /** Rows whose text is missing: free rows, and those of tables. */
  readonly rowsWithoutText: number;
  /** The first rows, up to `MAX_COMPARED_ROWS`, whose texts were compared. */
  readonly comparedRows: number;
  readonly heads: readonly HeadReport[];
  /** Rows that have no label of any head. */
  readonly unlabelled: Examples<number>;
  readonly exactDuplicates: Examples<Repetition>;
  /** Rows whose text equals an earlier one after normalisation only. */
  readonly normalisedDuplicates: Examples<Repetition>;
  readonly conflicts: Examples<Conflict>;
  /** Labels with fewer than `MIN_ROWS_OF_LABEL` rows, rarest first. */
  readonly rareLabels: Examples<RareLabel>;
  readonly similarLabels: Examples<SimilarLabels>;
  /** Whether all rows with a class, or with one of some task, have the same one, from which nothing can be learned. */
  readonly hasOneClass: boolean;
  /** Code points of a text. */
  readonly characters: Quantiles | null;
  /** Tokens of a text, as the built-in engine reads it. */
  readonly tokens: Quantiles | null;
  readonly unalignedSpans: Examples<UnalignedSpan> & { readonly faults: Readonly<Record<SpanFault, number>> };
  readonly repeatedAnnotations: Examples<RepeatedAnnotation>;
  readonly heldOut: HeldOutReport | null;
}

export const MAX_EXAMPLES = 100;
/** Labels of one head that are listed. */
export const MAX_LISTED_LABELS = 1000;
/** Fewer rows than these teach a label badly. */
export const MIN_ROWS_OF_LABEL = 10;
/** Rows of a version whose texts are kept for comparison: about 100 bytes each. */
export const MAX_TEXTS_COMPARED = 2_000_000;
/** Characters that are tokenised, 15 s of work; later rows are not. */
export const MAX_TOKENISED_CHARACTERS = 200_000_000;
export const MAX_EXCERPT = 60;
