import type { EventsOf, EventTypes } from '../decider.js';
import type { CallContentBody, LeastCertain, MeteredCall, Opened, RecordedCounts } from '../inference/index.js';
import type { JsonObject } from '../json.js';

/**
 * A call that another system executed, as reported by a caller. Nothing of it was measured here, and it costs nothing.
 */
export type ImportedCall = RecordedCounts &
  Pick<MeteredCall, 'ttftMs' | 'task' | 'format' | 'status' | 'errorType'> & {
    /** UUID of version 5, from the workspace and the line: the same line has the same id. */
    readonly inferenceId: string;
    readonly workspaceId: string;
    /** The user who imported the call. */
    readonly userId: string;
    readonly keyId: string | null;
    /** The id of the call in the other system; null for none. */
    readonly lineId: string | null;
    /** SHA-256 of the line, as JSON, to detect whether a later line is equal. */
    readonly digest: string;
    /** As the line named the model. */
    readonly modelId: string;
    /** The name behind `modelId`, and the version that answered; absent if the line has none. */
    readonly modelName?: string;
    readonly modelVersion?: number;
    /** Id of the call that a shadow call repeats, which may be missing here. */
    readonly shadowOf?: string;
    /** The model as the other system shows it. */
    readonly modelLabel: string;
    readonly baseModel: string;
    /** null if unknown. */
    readonly latencyMs: number | null;
    readonly content: CallContentBody;
    /** Absent if the answer has no confidence. */
    readonly leastCertain?: LeastCertain;
    /** The person whose call it was, according to the line. */
    readonly user: string | null;
    readonly metadata: JsonObject | null;
    /** Fields of the line that only the other system uses, such as its cost and its ids. */
    readonly origin: JsonObject;
    /** When the call was made. */
    readonly at: string;
  };

export type ImportedCallEvent = EventsOf<{
  'inference-imported.v1': ImportedCall & { importedAt: string } & Opened;
}>;

export const IMPORTED_CALL_EVENT_TYPES: EventTypes<ImportedCallEvent> = {
  'inference-imported.v1': true,
};
