import type { CallHandler, ServeOptions, Subscription } from '../../port.js';
import type { BusConnection } from '../connection.js';
import { InHand } from '../in-hand.js';
import { Conversations, type Patience } from './conversations.js';
import { IncomingCall } from './incoming-call.js';
import { KIND, write } from './wire.js';

/** Servers of one subject share its calls. */
const QUEUE_GROUP = 'servers';

export class Server {
  private readonly conversations: Conversations;

  constructor(
    private readonly connection: BusConnection,
    private readonly patience: Patience,
  ) {
    // Answers callers of unknown calls that their call is lost.
    this.conversations = new Conversations(connection, ({ reply }) => {
      if (reply) connection.publish(reply, write(KIND.lost));
    });
  }

  /** @param wireSubject subject on NATS */
  serve(wireSubject: string, handler: CallHandler, { cutOff }: ServeOptions = {}): Subscription {
    const inHand = new InHand();
    const subscription = this.connection.subscribe(
      wireSubject,
      ({ reply, data }) => {
        if (!reply) return;
        const call = new IncomingCall(reply, handler, cutOff, this.connection, this.conversations, this.patience);
        void inHand.add(call.done);
        call.begin(data);
      },
      QUEUE_GROUP,
    );
    return {
      stop: async () => {
        // Requests that arrive before the server has unsubscribed are still answered.
        await this.connection.drain(subscription);
        await inHand.done();
      },
    };
  }

  close(): void {
    this.conversations.close();
  }
}
