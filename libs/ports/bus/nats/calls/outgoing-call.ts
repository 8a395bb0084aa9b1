import type { Msg } from 'nats';
import type { Json, JsonObject } from '#domain/json.js';
import { BusUnavailableError, CallTimedOutError, NoServerError, RemoteError, ServerLostError } from '../../port.js';
import type { BusConnection } from '../connection.js';
import type { Conversation, Conversations, Patience } from './conversations.js';
import { FlowCredits, Pieces, Window } from './flow.js';
import { costOf, decode, KIND, pieceBytes, read, write, writeRequest, type WireMessage } from './wire.js';

interface Ready {
  readonly frame: Json;
  readonly cost: number;
}

/** The caller's side of a call: sends the request, gathers the frames. */
export class OutgoingCall implements Conversation {
  private readonly own: string;
  /** The server's inbox for this call, known from its first message. */
  private server: string | null = null;
  private readonly ready: Ready[] = [];
  /** The server's final word; frames that have arrived are delivered before it. */
  private outcome: 'open' | 'ended' | RemoteError = 'open';
  /** A failure on this side, which is delivered immediately. */
  private failure: { readonly reason: unknown } | null = null;
  private waiting: PromiseWithResolvers<void> | null = null;
  private readonly pieces = new Pieces();
  private readonly credits = new FlowCredits((bytes) => this.say(write(KIND.credit, bytes)));
  /** Cost of the pieces of an unfinished frame that were not acknowledged yet. */
  private held = 0;
  private rest: { readonly window: Window } | null = null;
  private place = 0;
  private heardAt = performance.now();
  private saidAt = this.heardAt;

  constructor(
    private readonly subject: string,
    private readonly body: Buffer,
    private readonly connection: BusConnection,
    private readonly conversations: Conversations,
    private readonly patience: Patience,
  ) {
    this.own = conversations.begin(this);
  }

  send(wireSubject: string, deadlineMs: number): void {
    const first = this.body.subarray(0, pieceBytes(this.connection.messageBytes));
    const request = writeRequest(deadlineMs, this.body.length, first);
    if (!this.connection.publish(wireSubject, request, this.own)) this.hearDisconnected();
  }

  /** @returns the next frame; null at the end @throws the error that ended it */
  async next(): Promise<{ readonly frame: Json } | null> {
    for (;;) {
      if (this.failure) throw this.failure.reason;
      const next = this.ready.shift();
      if (next) {
        this.credits.use(next.cost);
        if (this.ready.length === 0) this.credits.use(this.takeHeld());
        return next;
      }
      if (this.outcome === 'ended') return null;
      if (this.outcome !== 'open') throw this.outcome;
      this.waiting = Promise.withResolvers();
      await this.waiting.promise;
    }
  }

  /** Ends the call from this side, and tells the server once it is known. */
  fail(reason: unknown): void {
    if (this.failure || this.outcome !== 'open') return;
    this.failure = { reason };
    this.say(write(KIND.cancel));
    this.over();
  }

  /** The reader stops early. */
  leave(): void {
    if (!this.failure && this.outcome === 'open') this.fail(new Error('its caller has left'));
  }

  timeOut(deadlineMs: number): void {
    this.fail(new CallTimedOutError(`${this.subject} did not answer within ${deadlineMs} ms`));
  }

  hear(message: Msg): void {
    this.heardAt = performance.now();
    this.server ??= message.reply || null;
    const said = read(message.data);
    switch (said.kind) {
      case KIND.accept:
        return this.sendRest(said.number);
      case KIND.credit:
        return this.rest?.window.grant(said.number);
      case KIND.lost:
        return this.fail(this.lost('stopped'));
      case KIND.piece:
      case KIND.frame:
      case KIND.last:
      case KIND.end:
      case KIND.error:
        return this.hearPart(said);
      default:
    }
  }

  hearNobody(): void {
    this.fail(this.server === null ? new NoServerError(`nobody serves ${this.subject}`) : this.lost('has died'));
  }

  hearDisconnected(): void {
    this.fail(new BusUnavailableError(`the connection to NATS was lost during a call of ${this.subject}`));
  }

  tick(now: number): void {
    const { silenceMs, firstWordMs } = this.patience;
    if (now - this.heardAt > (this.server === null ? firstWordMs : silenceMs)) this.fail(this.lost('fell silent'));
    else if (now - this.saidAt > this.patience.aliveMs) this.say(write(KIND.alive));
  }

  private hearPart({ kind, number, payload }: WireMessage): void {
    if (number !== this.place) return this.fail(this.lost('was heard with a gap'));
    this.place += 1;
    if (kind === KIND.piece) {
      this.pieces.add(payload);
      // A frame may exceed the window: the frame that the reader waits for is sent, others wait for the reader.
      if (this.ready.length === 0) this.credits.use(costOf(payload));
      else this.held += costOf(payload);
      return;
    }
    if (kind === KIND.frame || kind === KIND.last)
      this.ready.push({ frame: decode(this.pieces.joined(payload)), cost: costOf(payload) + this.takeHeld() });
    if (kind === KIND.last || kind === KIND.end) this.outcome = 'ended';
    if (kind === KIND.error) {
      const { code, message, details } = decode(payload) as { code: string; message: string; details?: JsonObject };
      this.outcome = new RemoteError(code, message, details);
    }
    if (this.outcome === 'open') this.wake();
    else this.over();
  }

  private takeHeld(): number {
    const { held } = this;
    this.held = 0;
    return held;
  }

  private sendRest(bytes: number): void {
    const piece = pieceBytes(this.connection.messageBytes);
    if (this.rest || this.body.length <= piece) return;
    const window = new Window(bytes);
    this.rest = { window };
    void (async () => {
      for (let at = piece, place = 0; at < this.body.length; at += piece, place += 1) {
        await window.room();
        if (this.failure || this.outcome !== 'open') return;
        const payload = this.body.subarray(at, at + piece);
        window.take(payload);
        this.say(write(KIND.piece, place, payload));
      }
    })();
  }

  private say(message: Buffer): void {
    if (this.server === null) return;
    this.saidAt = performance.now();
    this.connection.publish(this.server, message, this.own);
  }

  private over(): void {
    this.conversations.end(this.own);
    this.rest?.window.grant(Infinity);
    this.wake();
  }

  private wake(): void {
    this.waiting?.resolve();
    this.waiting = null;
  }

  private lost(how: string): ServerLostError {
    return new ServerLostError(`the server of ${this.subject} ${how} in the middle of a call`);
  }
}
