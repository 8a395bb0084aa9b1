import { randomBytes, type Cipheriv } from 'node:crypto';
import { v7 as uuid7 } from 'uuid';
import {
  contentIn,
  contentSummary,
  subjectOf,
  type CallClosed,
  type CallAsRow,
  type CallContent,
  type CallContentBody,
  type CallMetered,
  type CallOpened,
  type EndOfCall,
  type LeastCertain,
  type OpeningTerms,
  type SignedThoughts,
} from '#domain/inference/index.js';
import type { EventToAppend, RecordedEvent } from '#ports/event-store/port.js';
import { UNREPORTED, type Background } from '#primitives/background/background.js';
import { objectCipher } from '#primitives/secrets/index.js';
import type { SecretKey } from '#primitives/secrets/secret-key.js';
import { isLargeJson, jsonInTurns } from '#primitives/turns/json.js';
import type { CommandContext } from '#log/context.js';
import { envelope } from '#log/execute.js';
import type { Ports } from '#application/ports.js';
import { Openings } from './openings.js';
import { StreamAppender, SupersededError } from './stream-appender.js';
import { WriterPresence } from './writer-presence.js';

/** UTF-8 bytes of JSON. */
const MAX_INLINE_CONTENT = 64 * 1024;
/** Approximate size of an event without its content. */
const ENVELOPE_BYTES = 1_200;

export interface RecordedCall {
  readonly metered: Omit<CallMetered['data'], 'stored' | 'contentHmac' | 'workspaceId'>;
  /** null for `store: false`: no content is kept. */
  readonly content: CallContentBody | null;
  /** Stored with the content. */
  readonly thoughts?: SignedThoughts | undefined;
  /** Stored with the content. */
  readonly leastCertain?: LeastCertain | null | undefined;
  /** Stored with the content. */
  readonly asRow?: CallAsRow | null | undefined;
  /** Whether the answer is compared with that of another version of its name. */
  readonly isCompared?: boolean;
}

/** A content as JSON: a text, or pieces of a long one in UTF-8. */
type ContentText = string | readonly Uint8Array[];

/** HMAC-SHA256 in hexadecimal, with its own key. */
export const contentMac =
  (secret: SecretKey) =>
  (content: ContentText): string | Promise<string> =>
    typeof content === 'string' ? secret.mac('content-hmac', content) : secret.macInTurns('content-hmac', content);

interface Options {
  /** Larger content goes to the object store, and the event holds where. UTF-8 bytes of JSON, 64 KiB at most. */
  readonly inlineBytes?: number;
  /** Called with each call that is on the log. */
  readonly onRecorded?: (metered: RecordedCall['metered']) => void;
  readonly background?: Background;
}

type RecordingContext = CommandContext & { readonly workspaceId: string };

/** A call that has been opened on the log and must be closed there. */
export interface OpenedCall {
  /** Resolves when the opening is on the log; no part of the answer is sent before. @throws UnavailableError */
  readonly acknowledged: Promise<void>;
  /**
   * Resolves when its end and its cost are on the log.
   * @param provider the one that answered, if known
   * @throws UnavailableError when the log gives no definite answer in time
   * @throws SupersededError when this process was taken for dead, and the call was closed as interrupted
   */
  close(
    call: RecordedCall,
    outcome: Exclude<CallClosed['data']['outcome'], 'interrupted'>,
    provider?: CallClosed['data']['provider'] | null,
  ): Promise<void>;
}

/** A writer of calls: one from the process start, and another after each call whose end could not be recorded. */
interface Writer {
  readonly id: string;
  readonly presence: WriterPresence;
}

/**
 * Records calls in groups: waiting ones are appended together. Each writer has its own streams, so that expected
 * revisions are known and a retry is exact. Commands' ids are the calls' own. A log that holds events beside it has one event
 * a call, others have several.
 */
export class CallRecorder {
  private readonly appenders = new Map<string, StreamAppender>();
  private readonly inlineBytes: number;
  private readonly onRecorded: (metered: RecordedCall['metered']) => void;
  private readonly background: Background;
  /** null: openings are events of the log, and so are contents. */
  private readonly openings: Openings | null;
  private writer: Writer;
  private day = '';

  constructor(
    private readonly ports: Pick<Ports, 'eventStore' | 'objectStore' | 'coordination'>,
    private readonly mac: ReturnType<typeof contentMac>,
    { inlineBytes = MAX_INLINE_CONTENT, onRecorded = () => undefined, background = UNREPORTED }: Options = {},
  ) {
    this.inlineBytes = inlineBytes;
    this.onRecorded = onRecorded;
    this.background = background;
    this.openings = ports.eventStore.held ? new Openings(ports.eventStore.held) : null;
    this.writer = this.newWriter();
  }

  /** False while the log does not acknowledge: new calls are refused before any model runs. */
  get accepting(): boolean {
    for (const appender of this.appenders.values()) if (appender.failing) return false;
    return !this.openings?.failing;
  }

  /**
   * Resolves when the call is on the log.
   * @throws UnavailableError when the log gives no definite answer in time
   */
  async record(call: RecordedCall, context: RecordingContext): Promise<void> {
    const stream = this.meteredStream(context);
    await this.append(call, context, {}, (data, bytes) => {
      const event = envelope(stream, { type: 'call-metered.v1', data }, 0, context);
      return this.appenderOf(stream).append({ events: [event], bytes });
    });
    this.onRecorded(call.metered);
  }

  /** Opens a call to a provider. Its end is recorded even if this process dies. */
  open(opened: Omit<CallOpened['data'], 'workspaceId' | 'writer'>, context: RecordingContext): OpenedCall {
    const { workspaceId } = context;
    const { inferenceId, estimatedInputTokens, reservedPicodollars } = opened;
    const { writer } = this;
    // A call's events stay in one stream, also past midnight.
    const stream = this.meteredStream(context);
    const data: CallOpened['data'] = { ...opened, workspaceId, writer: writer.id };
    writer.presence.begin();
    const event = envelope(stream, { type: 'call-opened.v1', data }, 0, context);
    const acknowledged = this.openings
      ? this.openings.hold(stream, event, ENVELOPE_BYTES)
      : this.appenderOf(stream).append({ events: [event], bytes: ENVELOPE_BYTES });
    // The opener may await the acknowledgement only after the provider has answered.
    acknowledged.catch(() => undefined);
    return {
      acknowledged,
      close: async (call, outcome, provider) => {
        const end: EndOfCall = { outcome, ...(provider && { provider }) };
        const supersededBy = ({ type, data: other }: RecordedEvent) =>
          (type === 'call-closed.v1' || type === 'call-metered.v1') && other['inferenceId'] === inferenceId;
        try {
          // A held event that came later than its end would stay.
          if (this.openings) await acknowledged.catch(() => undefined);
          const { outcome: _, ...answering } = end;
          const terms = this.openings ? { ...end, estimatedInputTokens, reservedPicodollars } : answering;
          await this.append(call, context, terms, (metered, bytes) => {
            const appending = this.openings
              ? { events: [wholeEvent(stream, metered, context)], inPlaceOf: event.id }
              : { events: closingEvents(stream, { inferenceId, workspaceId, ...end }, metered, context) };
            return this.appenderOf(stream).append({ ...appending, bytes: ENVELOPE_BYTES + bytes, supersededBy });
          });
          this.onRecorded(call.metered);
        } catch (error) {
          if (!(error instanceof SupersededError)) this.leave(writer);
          throw error;
        } finally {
          writer.presence.end();
        }
      },
    };
  }

  /**
   * Appends the metered event and, if it is kept, the content. Both appends have settled when it resolves or throws.
   * @param more fields of the metered event
   * @param appendMetered given about how many bytes the event has
   */
  private async append(
    call: RecordedCall,
    context: RecordingContext,
    more: Partial<OpeningTerms & EndOfCall>,
    appendMetered: (data: CallMetered['data'], bytes: number) => Promise<void>,
  ): Promise<void> {
    const { content, metered, thoughts, leastCertain, asRow, isCompared = false } = call;
    const { workspaceId } = context;
    const text = content && (isLargeJson(content) ? await jsonInTurns(content) : JSON.stringify(content));
    const mac = text && this.mac(text);
    const data: CallMetered['data'] = {
      ...metered,
      workspaceId,
      stored: text !== null,
      contentHmac: mac instanceof Promise ? await mac : mac,
      ...more,
    };
    if (content === null || text === null) return appendMetered(data, ENVELOPE_BYTES);
    // Stored before any event refers to it.
    const kept =
      typeof text === 'string' && fits(text, this.inlineBytes)
        ? content
        : { ...(await this.putContent(workspaceId, metered.inferenceId, text)), summary: contentSummary(content) };
    const subject = subjectOf(content.input);
    const length = typeof text === 'string' ? text.length : MAX_INLINE_CONTENT;
    const { inferenceId, modelName, modelVersion, shadowOf } = metered;
    // People review the call that a shadow repeats.
    const doubt = shadowOf === undefined ? leastCertain : null;
    const isNamed = modelName !== undefined && modelVersion !== undefined;
    const whole: CallMetered['data'] = {
      ...data,
      content: kept,
      ...(subject !== null && { subject }),
      ...(thoughts && { thoughts }),
      ...(doubt && { leastCertain: doubt }),
      ...(asRow && { asRow }),
      ...(isCompared && isNamed && { comparison: { of: shadowOf ?? inferenceId, modelName, modelVersion } }),
    };
    const beside = [thoughts, asRow].reduce((sum, each) => sum + (each ? JSON.stringify(each).length : 0), 0);
    // UTF-8 needs at most three bytes for each UTF-16 unit.
    const bytes = ENVELOPE_BYTES + 3 * (Math.min(length, MAX_INLINE_CONTENT) + beside);
    if (this.openings) return appendMetered(whole, bytes);
    const writes = [appendMetered(data, ENVELOPE_BYTES), this.appendContent(contentIn(whole)!, bytes, context)];
    for (const written of await Promise.allSettled(writes)) if (written.status === 'rejected') throw written.reason;
  }

  private appendContent(data: CallContent['data'], bytes: number, context: RecordingContext): Promise<void> {
    const stream = `content-${data.workspaceId}-${dayOf(context)}-${this.writer.id}`;
    const event = envelope(stream, { type: 'call-content.v1', data }, 0, context);
    return this.appenderOf(stream).append({ events: [event], bytes });
  }

  private meteredStream(context: RecordingContext): string {
    this.turnDay(dayOf(context));
    return `metered-${dayOf(context)}-${this.writer.id}`;
  }

  private appenderOf(stream: string): StreamAppender {
    let appender = this.appenders.get(stream);
    if (!appender) this.appenders.set(stream, (appender = new StreamAppender(this.ports.eventStore, stream)));
    return appender;
  }

  private async putContent(workspaceId: string, inferenceId: string, text: ContentText) {
    const key = `calls/${workspaceId}/${inferenceId}.json`;
    const cipherKey = randomBytes(32);
    const cipher = objectCipher(cipherKey);
    const { sha256, size } = await this.ports.objectStore.put(
      key,
      typeof text === 'string' ? cipher.update(text, 'utf8') : each(text, cipher),
    );
    return { objectKey: key, sha256, size, cipherKey: cipherKey.toString('base64') };
  }

  /** Forgets the streams of days before the previous one, in which calls from before midnight may still end. */
  private turnDay(day: string): void {
    if (day <= this.day) return;
    for (const [stream, appender] of this.appenders)
      if (appender.idle && !stream.includes(day) && !stream.includes(this.day)) this.appenders.delete(stream);
    this.day = day;
  }

  private newWriter(): Writer {
    const id = uuid7();
    return { id, presence: new WriterPresence(this.ports.coordination, id, this.background) };
  }

  /**
   * Abandons a writer that has a call it cannot close. Once its other calls have ended it falls silent, so that a
   * worker closes that one.
   */
  private leave(writer: Writer): void {
    if (this.writer === writer) this.writer = this.newWriter();
  }
}

/**
 * The event of a call whose opening is held, in the stream in which it was opened. The writer and a worker that takes it for
 * dead use different ids; equal ids would look like a repeat to the store.
 */
export function wholeEvent(stream: string, data: CallMetered['data'], context: CommandContext): EventToAppend {
  return envelope(stream, { type: 'call-metered.v1', data }, data.outcome === 'interrupted' ? 4 : 2, context);
}

/** The events that end an opened call, in the stream in which it was opened. Their ids differ as those of `wholeEvent`. */
export function closingEvents(
  stream: string,
  closed: CallClosed['data'],
  metered: CallMetered['data'],
  context: CommandContext,
): readonly EventToAppend[] {
  const first = closed.outcome === 'interrupted' ? 3 : 1;
  return [
    envelope(stream, { type: 'call-closed.v1', data: closed }, first, context),
    envelope(stream, { type: 'call-metered.v1', data: metered }, first + 1, context),
  ];
}

/** Yields one piece at a time, because a store hashes each as it arrives. */
async function* each(pieces: readonly Uint8Array[], cipher: Cipheriv): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield cipher.update(piece);
}

/** A UTF-16 unit needs one to three bytes of UTF-8, so most texts need no count. */
const fits = (text: string, bytes: number): boolean =>
  text.length <= bytes && (3 * text.length <= bytes || Buffer.byteLength(text) <= bytes);

const dayOf = ({ now }: CommandContext): string => now.slice(0, 10);
