import { v7 as uuid7 } from 'uuid';
import type { CallContentBody, CallMetered } from '#domain/inference/index.js';
import type { EventToAppend } from '#event-store/port.js';
import type { CommandContext } from '../context.js';
import { envelope } from '../execute.js';
import type { Ports } from '../ports.js';
import { StreamAppender } from './stream-appender.js';

/** Larger content goes to the object store, and the event holds where. */
const LARGEST_INLINE_CONTENT = 64 * 1024;
/** About how large an event is besides its content. */
const ENVELOPE_BYTES = 1_200;

export interface RecordedCall {
  readonly metered: Omit<CallMetered['data'], 'stored' | 'contentHmac' | 'workspaceId'>;
  /** null: `store: false`, nothing of the content is kept. */
  readonly content: CallContentBody | null;
}

/**
 * Records calls, in groups: those that wait together are appended together. A writer is one process start and the only one
 * to write its streams, so that expected revisions are known and a retry is exact.
 */
export class CallRecorder {
  private readonly writer = uuid7();
  private readonly appenders = new Map<string, StreamAppender>();
  private day = '';

  constructor(
    private readonly ports: Pick<Ports, 'eventStore' | 'objectStore'>,
    /** HMAC-SHA256 in hexadecimal digits, under a key of its own. */
    private readonly contentMac: (content: string) => string,
  ) {}

  /** False while the log does not acknowledge: new calls are refused before any model runs. */
  get accepting(): boolean {
    for (const appender of this.appenders.values()) if (appender.failing) return false;
    return true;
  }

  /**
   * Resolves when the call is on the log.
   * @throws UnavailableError when the log gives no definite answer in time
   */
  async record(call: RecordedCall, context: CommandContext & { workspaceId: string }): Promise<void> {
    const { workspaceId } = context;
    const day = context.now.slice(0, 10);
    this.turnDay(day);
    const content = call.content && JSON.stringify(call.content);
    const metered = `metered-${day}-${this.writer}`;
    const data: CallMetered['data'] = {
      ...call.metered,
      workspaceId,
      stored: content !== null,
      contentHmac: content === null ? null : this.contentMac(content),
    };
    const writes = [
      this.append(metered, envelope(metered, { type: 'call-metered.v1', data }, 0, context), ENVELOPE_BYTES),
    ];
    if (call.content !== null && content !== null) {
      const stream = `content-${workspaceId}-${day}-${this.writer}`;
      const { inferenceId } = call.metered;
      const held =
        content.length <= LARGEST_INLINE_CONTENT
          ? call.content
          : await this.putContent(workspaceId, inferenceId, content);
      const event = { type: 'call-content.v1', data: { inferenceId, workspaceId, content: held } };
      // UTF-8 needs at most three bytes for each UTF-16 unit.
      const bytes = ENVELOPE_BYTES + 3 * Math.min(content.length, LARGEST_INLINE_CONTENT);
      writes.push(this.append(stream, envelope(stream, event, 0, context), bytes));
    }
    await Promise.all(writes);
  }

  private append(stream: string, event: EventToAppend, bytes: number): Promise<void> {
    let appender = this.appenders.get(stream);
    if (!appender) this.appenders.set(stream, (appender = new StreamAppender(this.ports.eventStore, stream)));
    return appender.append(event, bytes);
  }

  private async putContent(workspaceId: string, inferenceId: string, content: string) {
    const key = `calls/${workspaceId}/${inferenceId}.json`;
    const { sha256, size } = await this.ports.objectStore.put(key, Buffer.from(content));
    return { objectKey: key, sha256, size };
  }

  /** Yesterday's streams are written no more, once what waits for them is stored. */
  private turnDay(day: string): void {
    if (day === this.day) return;
    this.day = day;
    for (const [stream, appender] of this.appenders)
      if (appender.idle && !stream.includes(day)) this.appenders.delete(stream);
  }
}
