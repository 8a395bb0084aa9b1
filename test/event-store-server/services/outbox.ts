import type { ServerWritableStream } from '@grpc/grpc-js';
import type { Control } from '../control.js';
import type { StreamMessages } from '../protocol/messages.js';

/** Messages to the caller of a read, as fast as the caller takes them. */
export class Outbox {
  private readonly ended = Promise.withResolvers<void>();
  private isClosed = false;

  constructor(
    private readonly call: ServerWritableStream<StreamMessages.ReadReq, StreamMessages.ReadResp>,
    private readonly control: Control,
  ) {
    const close = () => {
      this.isClosed = true;
      this.ended.resolve();
    };
    for (const event of ['cancelled', 'close', 'error']) call.on(event, close);
  }

  /** The caller takes no more. */
  get closed(): boolean {
    return this.isClosed || this.call.cancelled;
  }

  /** Waits where the caller is behind, or the server was told to be silent. */
  async send(message: StreamMessages.ReadResp): Promise<void> {
    if (this.control.silent) await this.unlessClosed(this.control.audible());
    if (this.closed || this.call.write(message)) return;
    await this.unlessClosed(new Promise<void>((resolve) => this.call.once('drain', resolve)));
  }

  /** Until something has happened, or the caller is gone. */
  unlessClosed(happened: Promise<void>): Promise<void> {
    return Promise.race([happened, this.ended.promise]);
  }
}
