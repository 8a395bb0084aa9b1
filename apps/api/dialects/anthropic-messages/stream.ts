import type { GenerationEvent } from '#calls/hosted/port.js';
import { errorBody } from '../../edge/errors/envelope.js';
import type { HttpError } from '../../edge/errors/http-error.js';
import type { BegunAnswer } from '../shared/compatible-calls.js';
import { namedEvent, type StreamEncoder } from '../../edge/event-stream.js';
import { BlockStream } from './block-stream.js';
import { emptyMessage, endOf, lastUsageOf, usageOf } from './encode.js';

/** A message in events (https://platform.claude.com/docs/en/build-with-claude/streaming). */
export class MessageStream implements StreamEncoder {
  private readonly blocks = new BlockStream();
  private hasStarted = false;

  constructor(private readonly started: BegunAnswer) {}

  /** Waits for the first events, which contain the number of input tokens. */
  begin(): string {
    return '';
  }

  batch(events: readonly GenerationEvent[]): string {
    let text = this.start();
    for (const event of events) if ('part' in event) text += this.blocks.write(event);
    return text;
  }

  end(): string {
    const { run } = this.started;
    const { produced } = run;
    const { container = null, context_management } = produced.details.anthropic ?? {};
    const event = {
      type: 'message_delta',
      delta: { ...endOf(produced), container },
      usage: lastUsageOf(run.usage, produced),
      ...(context_management !== undefined && { context_management }),
    } as const;
    return this.start() + this.blocks.end() + namedEvent(event) + namedEvent({ type: 'message_stop' });
  }

  error(error: HttpError, requestId: string): string {
    return `event: error\ndata: ${JSON.stringify(errorBody(error, 'anthropic', requestId))}\n\n`;
  }

  private start(): string {
    if (this.hasStarted) return '';
    this.hasStarted = true;
    const { run } = this.started;
    const message = { ...emptyMessage(this.started), usage: usageOf(run.usage, run.produced) };
    return namedEvent({ type: 'message_start', message });
  }
}
