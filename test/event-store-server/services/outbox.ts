import type { ServerWritableStream } from '@grpc/grpc-js';
import type { EventEmitter } from 'node:events';
import type { Control } from '../control.js';
import type { StreamMessages } from '../protocol/messages.js';

/** Messages to the caller of a read, as fast as the caller takes them. */
export class Outbox {
  private isClosed = false;
  /** Ends the present wait. */
  private wake: (() => void) | null = null;

  constructor(
    private readonly call: ServerWritableStream<StreamMessages.ReadReq, StreamMessages.ReadResp>,
    private readonly control: Control,
  ) {
    const close = () => {
      this.isClosed = true;
      this.wake?.();
    };
    for (const event of ['cancelled', 'close', 'error']) call.on(event, close);
  }

  /** The caller takes no more. */
  get closed(): boolean {
    return this.isClosed || this.call.cancelled;
  }

  /** Waits where the caller is behind, or the server was told to be silent. */
  async send(message: StreamMessages.ReadResp): Promise<void> {
    while (this.control.silent && !this.closed) await this.until(this.control, 'audible');
    if (!this.closed && !this.call.write(message)) await this.until(this.call, 'drain');
  }

  /** Resolves on the event or when the caller leaves. One wait at a time. */
  async until(emitter: EventEmitter, event: string): Promise<void> {
    if (this.closed) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        emitter.off(event, end);
        this.wake = null;
        resolve();
      };
      this.wake = end;
      emitter.on(event, end);
    });
  }
}
