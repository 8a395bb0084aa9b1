/**
 * Requests to a model and its results. Offsets are UTF-16 code units (JavaScript string indices), end exclusive; the
 * HTTP edge converts them to Unicode code points.
 */

/** The requested output by head. An engine refuses a head that it lacks. */
export interface InferSchema extends RequestedHeads {
  /** False: entities may overlap. Default: true. */
  readonly flatNer?: boolean;
}

export type InferHead = keyof RequestedHeads;

interface RequestedHeads {
  readonly entities?: readonly EntityQuery[];
  readonly classifications?: readonly ClassificationQuery[];
  readonly structures?: readonly StructureQuery[];
  readonly relations?: readonly RelationQuery[];
}

/** A record of named fields. A text may hold any number of such records. */
export interface StructureQuery {
  readonly name: string;
  readonly fields: readonly FieldQuery[];
}

export interface FieldQuery {
  readonly name: string;
  /** `str`: at most one value an instance. */
  readonly dtype: 'str' | 'list';
  /** The only values there are. */
  readonly choices?: readonly string[];
  readonly description?: string;
  readonly threshold?: number;
}

/** A directed relation between two stretches of text. */
export interface RelationQuery {
  readonly name: string;
  /** Entity types of its two ends. */
  readonly head?: string;
  readonly tail?: string;
  readonly description?: string;
  readonly threshold?: number;
}

export interface EntityQuery {
  readonly name: string;
  readonly description?: string;
  /** Overrides the call's threshold for this label. */
  readonly threshold?: number;
}

export interface ClassificationQuery {
  readonly task: string;
  readonly labels: readonly string[];
  /** Descriptions that the caller gives for some of the labels. */
  readonly descriptions?: readonly LabelDescription[];
  readonly multiLabel: boolean;
  readonly topK?: number;
  readonly threshold?: number;
}

interface LabelDescription {
  readonly label: string;
  readonly description: string;
}

/** A labelled stretch of a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

export interface EntityHit extends Span {
  readonly text: string;
  /** Marginal probability of the segment, 0 to 1. */
  readonly confidence: number;
}

/** A value found; one of a closed vocabulary has no place in the text. */
export interface ValueHit {
  readonly text: string;
  readonly confidence: number;
  readonly start?: number;
  readonly end?: number;
}

export interface ClassHit {
  readonly label: string;
  readonly confidence: number;
}

/** Asks for the training rows that are nearest to each text. */
export interface ExplainRequest {
  /** Indices of the training job's dataset versions whose rows may be named: those that have not been deleted. */
  readonly datasets: readonly number[];
}

/** The place of a training row in the dataset versions of its job. */
export interface RowSource {
  /** Index of the version among those of the job. */
  readonly dataset: number;
  /** From 0. */
  readonly row: number;
  /** Bytes before the row in the version's object, and bytes of the row, without the end of its line. */
  readonly start: number;
  readonly bytes: number;
}

/** A training row that is like a text. */
export interface NearRow extends RowSource {
  /** Cosine of the vectors of the two texts, at most 1. */
  readonly similarity: number;
}

/** How like those that the model learned from a text is. */
export interface Likeness {
  /** Mean cosine to the three nearest of them, at most 1. */
  readonly nearness: number;
  /** What makes the text unlike nearly all of them; null: nothing. */
  readonly unlike: Unlike | null;
}

/**
 * `script`: letters that they are not written in. `length`: much shorter, much longer, or not read to its end. `nearness`: further from
 * the others than 98 of 100 of them are. `several`: parts of the text, by themselves, would be answered by different classes.
 */
export type Unlike = 'script' | 'length' | 'nearness' | 'several';

/** The result of a text. */
export interface InferResult {
  /** Keyed by the requested label; every requested label is a key, with an empty list where nothing was found. */
  readonly entities?: Readonly<Record<string, readonly EntityHit[]>>;
  /** Keyed by task. Single-label: exactly one hit; multi-label: hits above the threshold; top_k: that many, best first. */
  readonly classifications?: Readonly<Record<string, readonly ClassHit[]>>;
  /** Keyed by structure: its instances, each keyed by field, best first; no key where nothing was found. */
  readonly structures?: Readonly<Record<string, readonly Readonly<Record<string, readonly ValueHit[]>>[]>>;
  /** Keyed by relation; no key where nothing was found. */
  readonly relations?: Readonly<Record<string, readonly { readonly head: ValueHit; readonly tail: ValueHit }[]>>;
  readonly truncated: boolean;
  /** The nearest training rows, nearest first. Present if they were requested and a trained head answered. */
  readonly nearest?: readonly NearRow[];
  /** Probability that the whole answer is right, 0 to 1. Present if it was requested. */
  readonly certainty?: number;
  /** Comes with the certainty; absent if the model does not know what it learned from, as those of earlier releases. */
  readonly likeness?: Likeness;
}

export interface InferWarning {
  readonly code:
    | 'unresolved_label'
    | 'zero_shot_classification'
    | 'unchecked_type'
    | 'nested_spans'
    | 'unused_description'
    | 'explanation_unavailable';
  readonly message: string;
  readonly label?: string;
}
