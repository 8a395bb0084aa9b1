import type { Json } from '#domain/json.js';
import { BusUnavailableError, type CallOptions } from '../../port.js';
import type { BusConnection } from '../connection.js';
import { Conversations, type Patience } from './conversations.js';
import { OutgoingCall } from './outgoing-call.js';
import { encode, KIND, MAX_BODY_BYTES, write } from './wire.js';

/** How long a call waits for a lost connection to return. */
const CONNECT_WAIT_MS = 2_000;

export class NatsCaller {
  private readonly conversations: Conversations;

  constructor(
    private readonly connection: BusConnection,
    private readonly patience: Patience,
  ) {
    // A server whose call ended before its inbox was known is told to stop at its first message.
    this.conversations = new Conversations(connection, ({ reply }) => {
      if (reply) connection.publish(reply, write(KIND.cancel));
    });
  }

  /** @param wireSubject its servers' subject on NATS; `subject` is for messages */
  async *call(
    subject: string,
    wireSubject: string,
    body: Json,
    { deadlineMs, signal }: CallOptions,
  ): AsyncGenerator<Json, void, undefined> {
    const began = performance.now();
    const bytes = encode(body);
    if (bytes.length > MAX_BODY_BYTES)
      throw new RangeError(
        `the request of ${subject} has ${bytes.length} bytes; at most ${MAX_BODY_BYTES} are carried`,
      );
    const isThere = await this.connection.whenConnected(Math.min(CONNECT_WAIT_MS, deadlineMs), signal);
    signal?.throwIfAborted();
    if (!isThere) throw new BusUnavailableError(`${subject} cannot be called: there is no connection to NATS`);
    const call = new OutgoingCall(subject, bytes, this.connection, this.conversations, this.patience);
    const left = deadlineMs - (performance.now() - began);
    const timer = setTimeout(() => call.timeOut(deadlineMs), left);
    const onAbort = () => call.fail(signal?.reason);
    signal?.addEventListener('abort', onAbort);
    try {
      call.send(wireSubject, left);
      for (let next = await call.next(); next; next = await call.next()) yield next.frame;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      call.leave();
    }
  }

  close(): void {
    this.conversations.close();
  }
}
