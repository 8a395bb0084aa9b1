import type { EventsOf, EventTypes } from '../decider.js';
import type { DestroyedKeys } from '../inference/index.js';

export type ErasedContent = {
  readonly inferenceId: string;
  readonly workspaceId: string;
  /** Content that was an object of its own; null for what the log itself has. */
  readonly objectKey: string | null;
  /** The first call of a tool in the answer, whose thoughts were kept beside it; null for none. */
  readonly toolCallId: string | null;
  /** The keys that were destroyed: of the content, and of corrections of it. Absent from events of earlier releases. */
  readonly keys?: DestroyedKeys;
};

export type ErasedCopies = {
  readonly inferenceId: string;
  readonly workspaceId: string;
  /** Dataset versions. */
  readonly versionIds: readonly string[];
};

export type ErasureEvent = EventsOf<{
  /** The call was asked to be forgotten: nothing shows its content any more. What was metered stays. */
  'call-content-erased.v1': ErasedContent & { erasedAt: string };
  /** Dataset versions that had the call's texts were erased with it. */
  'call-copies-erased.v1': ErasedCopies & { erasedAt: string };
}>;

export type CallContentErased = Extract<ErasureEvent, { readonly type: 'call-content-erased.v1' }>;

export const ERASURE_EVENT_TYPES: EventTypes<ErasureEvent> = {
  'call-content-erased.v1': true,
  'call-copies-erased.v1': true,
};
