import type { EventsOf, EventTypes } from '../decider.js';
import type { DestroyedKeys } from '../inference/index.js';

export type ErasedContent = {
  readonly inferenceId: string;
  readonly workspaceId: string;
  /** Content stored as its own object; null for content in the log itself. */
  readonly objectKey: string | null;
  /** The first tool call in the answer, whose thoughts were kept with it; null for none. */
  readonly toolCallId: string | null;
  /** The keys that were destroyed: of the content, and of corrections of it. Absent from older events. */
  readonly keys?: DestroyedKeys;
};

export type ErasedCopies = {
  readonly inferenceId: string;
  readonly workspaceId: string;
  /** Dataset versions. */
  readonly versionIds: readonly string[];
};

export type ErasureEvent = EventsOf<{
  /** Erasure of the call's content was requested: nothing shows it any more. Metering stays. */
  'call-content-erased.v1': ErasedContent & { erasedAt: string };
  /** Dataset versions that had the call's texts were erased with it. */
  'call-copies-erased.v1': ErasedCopies & { erasedAt: string };
}>;

export type CallContentErased = Extract<ErasureEvent, { readonly type: 'call-content-erased.v1' }>;

export const ERASURE_EVENT_TYPES: EventTypes<ErasureEvent> = {
  'call-content-erased.v1': true,
  'call-copies-erased.v1': true,
};
