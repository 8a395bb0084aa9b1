import type { CallHandler, Subscription } from '../../port.js';
import type { Connection } from '../connection.js';
import { InHand } from '../in-hand.js';
import { Conversations, type Patience } from './conversations.js';
import { IncomingCall } from './incoming-call.js';
import { KIND, write } from './wire.js';

/** All that serve one subject share its calls. */
const QUEUE_GROUP = 'servers';

/** Serves calls. */
export class Server {
  private readonly conversations: Conversations;
  private readonly unwatch: () => void;
  /** Callers whose calls were cut off with our connection: told once it is there again. */
  private lost: string[] = [];

  constructor(
    private readonly connection: Connection,
    private readonly patience: Patience,
  ) {
    this.conversations = new Conversations(connection, () => undefined);
    this.unwatch = connection.onChange((isConnected) => isConnected && this.tellLost());
  }

  /** @param wireSubject where on NATS */
  serve(wireSubject: string, handler: CallHandler): Subscription {
    const inHand = new InHand();
    const onLost = (caller: string) => void this.lost.push(caller);
    const subscription = this.connection.subscribe(
      wireSubject,
      ({ reply, data }) => {
        if (!reply) return;
        const call = new IncomingCall(reply, handler, this.connection, this.conversations, this.patience, onLost);
        void inHand.add(call.done);
        call.begin(data);
      },
      QUEUE_GROUP,
    );
    return {
      stop: async () => {
        // What the server sends until it has heard of this is answered still.
        if (!subscription.isClosed()) await subscription.drain().catch(() => undefined);
        await inHand.done();
      },
    };
  }

  close(): void {
    this.unwatch();
    this.conversations.close();
  }

  private tellLost(): void {
    for (const caller of this.lost) this.connection.publish(caller, write(KIND.lost));
    this.lost = [];
  }
}
