import type { Msg } from 'nats';
import type { Json } from '#domain/json.js';
import type { CallHandler } from '../../port.js';
import { asRemote } from '../../remote-error.js';
import type { BusConnection } from '../connection.js';
import type { Conversation, Conversations, Patience } from './conversations.js';
import { FlowCredits, Pieces, Window } from './flow.js';
import {
  costOf,
  decode,
  encode,
  KIND,
  MAX_BODY_BYTES,
  pieceBytes,
  read,
  readRequest,
  WINDOW_BYTES,
  write,
} from './wire.js';

/** A server that has not answered by then sends its inbox, so that the caller can cancel. */
const ACCEPT_MS = 50;
const MAX_ERROR_LENGTH = 10_000;

/** The server's side of a call: gathers the request, runs the handler, sends the frames. */
export class IncomingCall implements Conversation {
  /** Resolves when it is over, whether or not the handler has ended. */
  readonly done: Promise<void>;
  private readonly own: string;
  private readonly stop = new AbortController();
  private readonly stopped = Promise.withResolvers<never>();
  private readonly pieces = new Pieces();
  private readonly whole = Promise.withResolvers<Buffer>();
  private readonly requestCredits = new FlowCredits((bytes) => this.say(write(KIND.credit, bytes)));
  private readonly window = new Window();
  private bodyLength = 0;
  private heardPlace = 0;
  private place = 0;
  private accepted = false;
  private readonly beganAt = performance.now();
  private heardAt = this.beganAt;
  private saidAt = this.beganAt;
  private deadlineAt = Infinity;

  constructor(
    private readonly caller: string,
    private readonly handler: CallHandler,
    private readonly cutOff: AbortSignal | undefined,
    private readonly connection: BusConnection,
    private readonly conversations: Conversations,
    private readonly patience: Patience,
  ) {
    this.stopped.promise.catch(() => undefined);
    this.own = conversations.begin(this);
    const onCutOff = () => this.stopped.reject(this.cutOff?.reason);
    this.cutOff?.addEventListener('abort', onCutOff);
    this.done = this.run().finally(() => {
      this.cutOff?.removeEventListener('abort', onCutOff);
      this.conversations.end(this.own);
    });
  }

  /** The request, or its first piece. */
  begin(data: Uint8Array): void {
    const { deadlineMs, bodyLength, piece } = readRequest(read(data));
    this.deadlineAt = this.beganAt + deadlineMs;
    this.bodyLength = bodyLength;
    if (bodyLength <= MAX_BODY_BYTES) return this.gather(piece);
    this.whole.reject(new RangeError(`a request has at most ${MAX_BODY_BYTES} bytes`));
  }

  hear(message: Msg): void {
    this.heardAt = performance.now();
    const { kind, number, payload } = read(message.data);
    switch (kind) {
      case KIND.piece:
        if (number !== this.heardPlace) return this.whole.reject(new Error('a part of the request is missing'));
        this.heardPlace += 1;
        this.requestCredits.use(costOf(payload));
        return this.gather(payload);
      case KIND.credit:
        return this.window.grant(number);
      case KIND.cancel:
        return this.abort('its caller has left');
      default:
    }
  }

  hearNobody(): void {
    this.abort('its caller has died');
  }

  hearDisconnected(): void {
    this.abort('the connection to NATS was lost');
  }

  tick(now: number): void {
    if (now > this.deadlineAt) this.abort('its deadline has passed');
    else if (now - this.heardAt > this.patience.silenceMs) this.abort('its caller fell silent');
    else if (!this.accepted && now - this.beganAt > ACCEPT_MS) this.accept();
    else if (now - this.saidAt > this.patience.aliveMs) this.say(write(KIND.alive));
  }

  private gather(piece: Buffer): void {
    if (this.pieces.length + piece.length >= this.bodyLength) return this.whole.resolve(this.pieces.joined(piece));
    this.pieces.add(piece);
    if (!this.accepted) this.accept();
  }

  private accept(): void {
    this.accepted = true;
    this.say(write(KIND.accept, WINDOW_BYTES));
  }

  private async run(): Promise<void> {
    try {
      await this.answer(decode(await Promise.race([this.whole.promise, this.stopped.promise])));
    } catch (error) {
      if (this.stop.signal.aborted) return;
      const { code, message, details } = asRemote(error);
      const told = { code, message: message.slice(0, MAX_ERROR_LENGTH), details };
      this.sayLast(write(KIND.error, this.place, encode(told)));
      if (this.cutOff?.aborted) this.stop.abort(error);
    }
  }

  private async answer(body: Json): Promise<void> {
    const answer = this.handler(body, { signal: this.stop.signal });
    if (!(Symbol.asyncIterator in answer))
      return this.sendFrame(await Promise.race([answer, this.stopped.promise]), KIND.last);
    const frames = answer[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await Promise.race([frames.next(), this.stopped.promise]);
        if (next.done) break;
        await this.sendFrame(next.value, KIND.frame);
      }
    } catch (error) {
      // A handler that is still busy is not awaited: its signal was aborted.
      void frames.return?.().catch(() => undefined);
      throw error;
    }
    this.sayLast(write(KIND.end, this.place));
  }

  private async sendFrame(frame: Json, kind: typeof KIND.frame | typeof KIND.last): Promise<void> {
    const bytes = encode(frame);
    if (bytes.length > MAX_BODY_BYTES) throw new RangeError(`a frame has at most ${MAX_BODY_BYTES} bytes`);
    const size = pieceBytes(this.connection.messageBytes);
    for (let at = 0; ; at += size) {
      const room = this.window.room();
      if (room) await Promise.race([room, this.stopped.promise]);
      const payload = bytes.subarray(at, at + size);
      this.window.take(payload);
      const isLastPiece = at + size >= bytes.length;
      const message = write(isLastPiece ? kind : KIND.piece, this.place, payload);
      this.place += 1;
      if (isLastPiece && kind === KIND.last) return this.sayLast(message);
      this.say(message);
      if (isLastPiece) return;
    }
  }

  /** Every message but the last has a reply subject. */
  private say(message: Buffer): void {
    this.saidAt = performance.now();
    this.connection.publish(this.caller, message, this.own);
  }

  private sayLast(message: Buffer): void {
    this.connection.publish(this.caller, message);
  }

  private abort(reason: string): void {
    if (this.stop.signal.aborted) return;
    const error = new Error(`the call was stopped: ${reason}`);
    this.stop.abort(error);
    this.stopped.reject(error);
  }
}
