import type { CallMetered } from '#domain/inference/index.js';
import type { FeedbackGiven } from '#domain/feedback/index.js';
import type { RecordedEvent } from '#ports/event-store/port.js';
import { counted, type Counted } from './acts.js';

/** Where the content of a call stands: encrypted or plain in its event, in an event of its own, or nowhere. */
export type ContentKept = 'encrypted' | 'plain' | 'own-event' | 'none';

/** Recorded calls, those of them that failed, erasures of contents, calls of other systems, and reads of contents. */
export type CallTotal = 'calls' | 'failed' | 'erased' | 'imported' | 'reads';

/** Counts recorded calls, what is logged of them, and what was said about them. */
export class CallsLogged {
  /** Fields of the events of calls: how many events have each. */
  readonly fields = new Map<string, Counted>();
  readonly contents = new Map<ContentKept, Counted>();
  readonly totals = new Map<CallTotal, Counted>();
  /** By `name@version`, and by the id of the training job. */
  readonly byModel = new Map<string, Counted>();
  /** By `modelId\nverdict`, with the id as the call named it. */
  readonly verdicts = new Map<string, Counted>();

  take(event: RecordedEvent): void {
    if (event.type === 'call-metered.v1') this.call(event);
    else if (event.type === 'call-content-erased.v1') counted(this.totals, 'erased', event);
    else if (event.type === 'inference-imported.v1') counted(this.totals, 'imported', event);
    else if (event.type === 'contents-read.v1') counted(this.totals, 'reads', event);
    else if (event.type === 'feedback-given.v1') {
      const { modelId, verdict } = event.data as FeedbackGiven['data'];
      counted(this.verdicts, `${modelId ?? 'a model that the event does not name'}\n${verdict}`, event);
    }
  }

  private call(event: RecordedEvent): void {
    const { modelName, modelVersion, trainingJobId, status } = event.data as CallMetered['data'];
    counted(this.totals, 'calls', event);
    if (status !== 'success') counted(this.totals, 'failed', event);
    for (const field of Object.keys(event.data)) counted(this.fields, field, event);
    counted(this.contents, keptOf(event.data), event);
    if (modelName !== undefined) counted(this.byModel, `${modelName}@${modelVersion}`, event);
    if (trainingJobId !== null) counted(this.byModel, trainingJobId, event);
  }
}

function keptOf({ sealed, content, contentHmac, stored }: Readonly<Record<string, unknown>>): ContentKept {
  if (sealed !== undefined) return 'encrypted';
  if (content !== undefined) return 'plain';
  return stored === true && contentHmac !== null ? 'own-event' : 'none';
}
