import type { JsonObject } from '#domain/json.js';
import { openSealed } from '#ports/event-store/sealing.js';
import type { ContentKeys } from '#ports/key-store/content-keys.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { contentMacs } from '#calls/recording/content-macs.js';
import type { SecretKey } from '#primitives/secrets/index.js';
import type { Finding } from './finding.js';
import type { StoredEvent } from './entries.js';

/** Opens contents, to compare them with the HMAC of their call. */
export interface ContentAccess {
  /** With the keys of earlier secrets, as far as they were kept. */
  readonly secret: SecretKey;
  /** Fingerprints of earlier secrets whose keys of HMACs were kept. */
  readonly earlier?: ReadonlySet<string>;
  /** null if the keys of contents are not available. */
  readonly keys: Pick<ContentKeys, 'get'> | null;
}

/** Counts of the calls of a log. */
export interface ComparedCalls {
  /** Calls that have their content, in their own event or in another. */
  readonly calls: number;
  /** Contents that have the HMAC that their call has. */
  readonly contents: number;
  /** Contents that could not be compared: their secret or key is not available, or they were erased. */
  readonly contentsUnchecked: number;
  /** Halves of calls at the end of what their process wrote: it died before the call was answered. */
  readonly cutOff: number;
  /** Whether the available secret is not the one of this log. */
  readonly isOtherSecret: boolean;
}

interface Half {
  readonly position: string;
  /** The process start that wrote it. */
  readonly writer: string;
  /** HMAC of the content in hexadecimal digits, under each key that it may have been made with; null if unknown. */
  readonly macs: readonly string[] | null;
}

const INFERENCE_ID = /"inferenceId":"([^"]+)"/;
const CONTENT_MAC = /"contentHmac":"([0-9a-f]+)"/;
/** A call whose content is in its own event. */
const HAS_CONTENT = /"(?:content|sealed)":\{/;
const WRITER_LENGTH = 36;

/**
 * Finds calls that lack their content, contents that lack their call, and contents with another HMAC than their call has. A call with
 * `store: false`, and one that was interrupted or erased, needs no content.
 */
export class Calls {
  private readonly metered = new Map<string, Half>();
  private readonly stored = new Map<string, Half>();
  private readonly erased = new Set<string>();
  /** Position of the last event of each kind that a writer appended. */
  private readonly lastMetered = new Map<string, string>();
  private readonly lastStored = new Map<string, string>();
  private readonly altered: Finding[] = [];
  private fingerprint: string | null = null;
  private counts = { calls: 0, contents: 0, contentsUnchecked: 0 };

  constructor(
    private readonly objects: Pick<ObjectStore, 'get'>,
    /** null: contents are not compared. */
    private readonly access: ContentAccess | null,
  ) {}

  /** An event of the log, later than those before. */
  add(event: StoredEvent): void | Promise<void> {
    const { type, data } = event;
    switch (type) {
      case 'call-metered.v1':
        return HAS_CONTENT.test(data)
          ? this.compareWhole(event)
          : this.meet(this.stored, this.metered, event, this.lastMetered, macIn(event));
      case 'call-content.v1':
        if (this.access === null) return this.meet(this.metered, this.stored, event, this.lastStored, null);
        return this.macsOf(event, this.access).then((macs) =>
          this.meet(this.metered, this.stored, event, this.lastStored, macs),
        );
      case 'call-content-erased.v1':
        this.erased.add(idOf(event));
        return;
      case 'log-created.v1':
        this.fingerprint = (JSON.parse(data) as { secretFingerprint?: string }).secretFingerprint ?? null;
        return;
      case 'log-secret-bound.v1':
        this.bind(JSON.parse(data) as { fingerprint: string; replaced: string | null });
        return;
    }
  }

  /** @param onFinding called with each problem of all calls */
  end(onFinding: (finding: Finding) => void): ComparedCalls {
    let cutOff = 0;
    const lacking = (halves: ReadonlyMap<string, Half>, last: ReadonlyMap<string, string>, what: string) => {
      for (const [id, { position, writer }] of halves) {
        if (this.erased.has(id)) continue;
        if ((last.get(writer) ?? '') < position) cutOff += 1;
        else onFinding({ problem: 'call', position, what: `${what} of call ${id} is not in the log` });
      }
    };
    // Calls without an HMAC were interrupted, and their content is lost.
    const whole = new Map([...this.metered].filter(([, { macs }]) => macs !== null));
    lacking(whole, this.lastStored, 'the content');
    lacking(this.stored, this.lastMetered, 'the metered event');
    const isOtherSecret =
      this.access !== null && this.fingerprint !== null && this.fingerprint !== this.access.secret.fingerprint;
    const { calls, contents, contentsUnchecked } = this.counts;
    const altered = isOtherSecret ? [] : this.altered;
    altered.forEach(onFinding);
    const compared = isOtherSecret ? 0 : contents;
    return {
      calls,
      contents: compared,
      contentsUnchecked: contentsUnchecked + contents - compared,
      cutOff,
      isOtherSecret,
    };
  }

  private meet(
    others: Map<string, Half>,
    own: Map<string, Half>,
    event: StoredEvent,
    last: Map<string, string>,
    macs: readonly string[] | null,
  ): void {
    const { position, stream, data, type } = event;
    const writer = stream.slice(-WRITER_LENGTH);
    last.set(writer, position);
    if (type === 'call-metered.v1' && !data.includes('"stored":true')) return;
    const id = idOf(event);
    const other = others.get(id);
    if (other === undefined) {
      own.set(id, { position, writer, macs });
      return;
    }
    others.delete(id);
    this.compare(event, macs, other.macs);
  }

  private async compareWhole(event: StoredEvent): Promise<void> {
    // A process that stores calls whole is not cut off between two events.
    this.lastStored.set(event.stream.slice(-WRITER_LENGTH), event.position);
    this.compare(event, this.access && (await this.macsOf(event, this.access)), macIn(event));
  }

  private compare(event: StoredEvent, macs: readonly string[] | null, others: readonly string[] | null): void {
    this.counts.calls += 1;
    if (macs === null || others === null) this.counts.contentsUnchecked += 1;
    else if (macs.some((mac) => others.includes(mac))) this.counts.contents += 1;
    else {
      const what = `the content of call ${idOf(event)} is not the one that its call was recorded with`;
      this.altered.push({ problem: 'call', position: event.position, what });
    }
  }

  /** Contents recorded under a replaced secret whose key was not kept cannot be compared. */
  private bind({ fingerprint, replaced }: { fingerprint: string; replaced: string | null }): void {
    this.fingerprint = fingerprint;
    if (replaced === null || this.access?.earlier?.has(replaced)) return;
    this.counts.contentsUnchecked += this.counts.contents + this.altered.length;
    this.counts.contents = 0;
    this.altered.length = 0;
  }

  /** null if the content cannot be read. */
  private async macsOf(
    { type, data: text }: StoredEvent,
    { secret, keys }: ContentAccess,
  ): Promise<readonly string[] | null> {
    const data = JSON.parse(text) as JsonObject;
    const said = data['sealed'] === undefined ? data : keys && (await openSealed(keys, { type, data }));
    const content = said && (said['content'] as JsonObject | undefined);
    if (!content) return null;
    return contentMacs(this.objects, secret, content);
  }
}

const macIn = ({ data }: StoredEvent): readonly string[] | null => CONTENT_MAC.exec(data)?.slice(1) ?? null;

/** @throws SyntaxError for an event that names no call */
function idOf({ data }: StoredEvent): string {
  const id = INFERENCE_ID.exec(data)?.[1];
  if (id === undefined) throw new SyntaxError('the event names no call');
  return id;
}
