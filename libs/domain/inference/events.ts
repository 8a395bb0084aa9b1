import type { Json, JsonObject } from '../json.js';
import type { RecordedCounts, TokenPrices } from './token-kinds.js';

export const CALL_SOURCES = ['api', 'ui'] as const;
export type CallSource = (typeof CALL_SOURCES)[number];

export const CALL_FORMATS = ['native', 'openai', 'anthropic'] as const;
export type CallFormat = (typeof CALL_FORMATS)[number];

export const CALL_STATUSES = ['success', 'failed'] as const;
export type CallStatus = (typeof CALL_STATUSES)[number];

/**
 * A recorded call, stored before it is answered and kept forever. On SQLite with encrypted contents it is the only event of a
 * call: it has the content, which is erased by destroying the key. The opening of a call to a hosted model, stored before any part of
 * the answer is passed on, is a row beside the log until this event takes its place. In other logs, and earlier ones, a call has
 * more events, with what is optional here: `call-content`, which can be deleted and is absent with `store: false`, and for a call to
 * a hosted model, in the stream of its `call-metered`, `call-opened` and `call-closed`, which is appended together with that.
 */
export interface CallMetered {
  readonly type: 'call-metered.v1';
  readonly data: MeteredCall & RecordedCounts & Partial<OpeningTerms & EndOfCall & KeptContent> & Opened;
}

/** Whether events of the type come with every call, so that thousands may come in a second. */
export const comesWithCalls = (type: string): boolean =>
  type.startsWith('call-') && !type.startsWith('call-content-erased');

/** A call without its tokens. */
export type MeteredCall = {
  /** UUIDv7: sorts by time. */
  readonly inferenceId: string;
  readonly workspaceId: string;
  readonly teamId: string;
  readonly userId: string;
  /** The API key used, null from a browser session. */
  readonly keyId: string | null;
  /** The id as the caller wrote it: a catalog id, an alias, a name or a training job's id. */
  readonly modelId: string;
  /** The name that `modelId` is of, and its version that ran; absent from calls by another id. */
  readonly modelName?: string;
  readonly modelVersion?: number;
  /** The answered call that this one repeats on another version of the name, unseen; absent from all others. */
  readonly shadowOf?: string;
  /** Who answered for a distilled version, and why; absent from all other calls. */
  readonly cascade?: CascadeFacts;
  /** Catalog id of the model that ran. */
  readonly baseModel: string;
  readonly trainingJobId: string | null;
  readonly projectId: string | null;
  readonly task: InferenceTask;
  readonly source: CallSource;
  readonly format: CallFormat;
  readonly status: CallStatus;
  readonly errorType: InferenceErrorType | null;
  readonly latencyMs: number;
  readonly ttftMs: number | null;
  /** Picodollars a token, in force at the time of the call. Decimal strings of whole numbers, as all money. */
  readonly price: TokenPrices;
  readonly costPicodollars: string;
  /** The allotment that paid, `<month>/<holder>` (`Reservation.chargedTo`); absent or null if no credits did. */
  readonly chargedTo?: string | null;
  /** The engine that answered; absent from calls of hosted models, failed calls and older ones. */
  readonly engine?: { readonly name: string; readonly version: string };
  /**
   * SHA-256 that identifies the weights of the base model, as training jobs pin it; absent if the engine did not
   * report it.
   */
  readonly weightsSha256?: string;
  /** Hints of the request that the model was not given, by the names of the caller's dialect; absent if there were none. */
  readonly dropped?: readonly string[];
  /**
   * Whether the caller lets content be kept: the call is listed, and the log has its content. An interrupted call
   * is listed without content, which is lost.
   */
  readonly stored: boolean;
  /** HMAC-SHA256 of the content as stored, so that an auditor can detect changes; null if there is no content. */
  readonly contentHmac: string | null;
  readonly at: string;
};

/**
 * Why the student or the teacher answered a call of a distilled version. The student: it was `sure`, or `teacher_failed`. The teacher: the
 * student was `unsure`, the text is `unlike` those that it learned, the request is `other_prompt`, or `student_failed`; it is the time of
 * `watching`, or the target was not held (`returned`). An `audit` repeats a call that the student answered, unseen.
 */
export const CASCADE_REASONS = [
  'sure',
  'teacher_failed',
  'unsure',
  'unlike',
  'other_prompt',
  'student_failed',
  'watching',
  'returned',
  'audit',
] as const;
export type CascadeReason = (typeof CASCADE_REASONS)[number];

/** A call of a distilled version. */
export type CascadeFacts = {
  readonly distillationId: string;
  readonly by: 'student' | 'teacher';
  readonly reason: CascadeReason;
  /** Of the student's answer as a whole, 0 to 1; absent if it was not asked. */
  readonly certainty?: number;
  /** What makes the text unlike those that the student learned; absent if nothing does. */
  readonly unlike?: 'script' | 'length' | 'nearness' | 'several';
  /** Whether the student's answer is the teacher's; absent unless both were compared. */
  readonly agrees?: boolean;
};

/** The local engine that answered, and its weights. */
export interface ServedBy {
  readonly engine: { readonly name: string; readonly version: string };
  /**
   * SHA-256 of the weights of the base model or embedder, as training jobs pin it; null if the runner has no file of
   * them.
   */
  readonly weightsSha256: string | null;
}

/** A call has been sent to a provider. Without a `call-closed`, its writer has died or still runs the call. */
export interface CallOpened {
  readonly type: 'call-opened.v1';
  readonly data: Pick<
    MeteredCall,
    | 'inferenceId'
    | 'workspaceId'
    | 'teamId'
    | 'userId'
    | 'keyId'
    | 'modelId'
    | 'modelName'
    | 'modelVersion'
    | 'shadowOf'
    | 'baseModel'
    | 'trainingJobId'
    | 'projectId'
    | 'task'
    | 'source'
    | 'format'
    | 'price'
    | 'at'
  > &
    OpeningTerms & {
      /** The recorder of one process start. While it reports itself, only it closes the call. */
      readonly writer: string;
      /** Whether the caller lets content be kept. */
      readonly store: boolean;
      readonly chargedTo: string | null;
    };
}

/** The money with which a call to a provider was opened. */
export type OpeningTerms = {
  /** Estimated input tokens, for which an interrupted call is billed; its output is free. */
  readonly estimatedInputTokens: number;
  /** Its maximum cost, in picodollars, if credits pay for it (`chargedTo`); else an estimate. */
  readonly reservedPicodollars: string;
};

/** The end of a call, recorded by its writer or, if that died, by a worker (`interrupted`). */
export interface CallClosed {
  readonly type: 'call-closed.v1';
  readonly data: {
    readonly inferenceId: string;
    readonly workspaceId: string;
  } & EndOfCall;
}

/** How a call to a provider ended. */
export type EndOfCall = {
  readonly outcome: 'answered' | 'failed' | 'interrupted';
  /** The provider that began to answer, or its fallback, and the model's id there. */
  readonly provider?: AnsweringProvider;
};

/** A provider, and the id by which it was asked for a model. */
export type AnsweringProvider = {
  readonly name: string;
  readonly model: string;
  /** Absent from older events, and if the answer said nothing of this. */
  readonly response?: ProviderResponse;
};

/** What identifies an answer at its provider. */
export type ProviderResponse = {
  /** The provider's id of the answer. */
  readonly id?: string;
  /** The model that the answer named; absent if that is the one that was asked. */
  readonly model?: string;
  /** Identifies the configuration that the provider ran the model with. */
  readonly systemFingerprint?: string;
};

export interface CallContent {
  readonly type: 'call-content.v1';
  readonly data: {
    readonly inferenceId: string;
    readonly workspaceId: string;
    /** As the caller named it; beside `leastCertain` and, of a call that is not a shadow's, `comparison`. */
    readonly modelId?: string;
    /** The name that an encoder was called by, and the version that answered; absent from all other calls. */
    readonly modelName?: string;
    readonly modelVersion?: number;
  } & KeptContent &
    Opened;
}

/** What a call said. */
export type KeptContent = {
  readonly content: CallContentBody | CallContentObject;
  /** The person whose call it is, according to its request (`subjectOf`); absent if it names none. */
  readonly subject?: string;
  /** Absent unless the answer has thoughts that were signed, before a call of a tool. */
  readonly thoughts?: SignedThoughts;
  /** Absent if an encoder found nothing, and from shadow calls and calls of other models. */
  readonly leastCertain?: LeastCertain;
  /** Of a call to the task of a distilled version, answered by itself or its teacher; absent from all others, and from audits. */
  readonly asRow?: CallAsRow;
  /** Comparison of an answered call with the answer of its model's shadow. Absent from other calls. */
  readonly comparison?: Comparison;
};

/** Stored in place of a call's content, and of quotes from it in corrections. */
export interface SealedText extends JsonObject {
  /** Id of the key. */
  readonly key: string;
  /** Base64 of tag and ciphertext (AES-256-GCM) of the content fields, as JSON. */
  readonly text: string;
}

/** Keys of contents that were destroyed, as an event and a certificate name them. */
export type DestroyedKeys = readonly { readonly id: string; readonly fingerprint: string }[];

/** Fields that reading adds to an event that is stored encrypted. */
export type Opened = {
  /** Absent from events that were stored unencrypted. */
  readonly contentKey?: string;
  /** Present if the key was destroyed: the content is gone. */
  readonly erased?: true;
};

/** An answer to compare with another: that of the version that a name refers to, or that of its shadow. */
interface Comparison extends JsonObject {
  /** The call that was answered to the caller: its own id, or `shadowOf`. */
  readonly of: string;
  readonly modelName: string;
  readonly modelVersion: number;
}

/** A call as a distilled version learns calls, for the counts of drift. */
export interface CallAsRow extends JsonObject {
  readonly modelName: string;
  readonly modelVersion: number;
  /** Of the text that is asked about, in UTF-16 units. */
  readonly length: number;
  /** As much of it as is counted. */
  readonly beginning: string;
  /** What the answer says, in the labels of the version; null if it says something else. */
  readonly labels: readonly string[] | null;
  /** Of the student's answer as a whole, 0 to 1; null if it was not asked. */
  readonly certainty: number | null;
}

/** The answer of a call that has the lowest confidence. */
export interface LeastCertain extends JsonObject {
  /** 0 to 1. */
  readonly confidence: number;
  /** An entity's label, a class, a structure's field (`structure.field`) or a relation. */
  readonly label: string;
}

/**
 * Thoughts that a provider accepts back in the next turn only with their signature, even if the client repeats them.
 */
export interface SignedThoughts extends JsonObject {
  /** The call of a tool that they came before. */
  readonly toolCallId: string;
  /** The provider that signed them, and the model's id there. */
  readonly provider: { readonly name: string; readonly model: string };
  /** Thoughts in order. A redacted one has an empty `text`, and its opaque data as `signature`. */
  readonly parts: readonly { readonly text: string; readonly signature: string; readonly redacted: boolean }[];
}

/** Content of up to 64 KiB, or `ANNEAL_CALL_INLINE_BYTES`, is in the event itself. */
export interface CallContentBody extends JsonObject {
  readonly input: JsonObject;
  readonly output: Json;
  readonly errorMessage: string | null;
}

/** Larger content is an object of the same shape in JSON, with its members in the order of `CallContentBody`. */
export interface CallContentObject extends JsonObject {
  readonly objectKey: string;
  readonly sha256: string;
  readonly size: number;
  /** Base64 of the key that the object is encrypted with (AES-256-CTR, counted from 0); absent from older objects, which are not encrypted. */
  readonly cipherKey?: string;
  /** For lists, which do not read objects. */
  readonly summary: ContentSummary;
}

/** A call's content as lists show it: whole if it is small, else the beginnings. */
export interface ContentSummary extends JsonObject {
  readonly input: Json;
  readonly output: Json;
  readonly errorMessage: string | null;
  /** The fields that were cut. */
  readonly truncated: readonly string[];
}

export type InferenceTask =
  'extract_entities' | 'classify_text' | 'extract_json' | 'extract_relations' | 'schema' | 'generate' | 'embed';

export type InferenceErrorType = 'timeout' | 'model_not_ready' | 'capacity_exhausted' | 'cancelled' | 'internal';
