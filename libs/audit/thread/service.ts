import { setTimeout as sleep } from 'node:timers/promises';
import { openStoredEvents, type EventLogLocation } from '#ports/event-store/open.js';
import { ArchiveReader, withArchived } from '#ports/event-store/archive/index.js';
import { LogDamagedError, type EventReader } from '#ports/event-store/port.js';
import { readStoredRows } from '#ports/event-store/sqlite/index.js';
import { openObjectStore, type ObjectStoreAddress } from '#ports/object-store/open.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import type { CreateService } from '#primitives/thread/service.js';
import { Anchors, type AnchorOptions } from '../anchors.js';
import { extendTree, TreeReplacedError, type PublishedHead } from '../builder.js';
import { NoteError, openCheckpoint, parseVerifier, signerOf, verifierOf, type Verifier } from '../checkpoint.js';
import { compare } from '../comparison.js';
import type { Finding } from '../finding.js';
import { TreeLostError } from '../continuity.js';
import { bundleOf, factsOf, noting, type StoredEvent } from '../entries.js';
import { putAside } from '../replaced-tree.js';
import { References } from '../references.js';
import { ReplacedKeys } from '../replaced-keys.js';
import { publicKeyOf, type LogSigner, type SigningCommand } from '../signing.js';
import { compareObjects } from '../stored-objects.js';
import { storedPages, upTo } from '../stored-pages.js';
import { TreeDamagedError, TreeFiles } from '../tree-files.js';
import { WitnessedMoreError, Witnesses, type WitnessAddress } from '../witnesses.js';
import { OUTCOME, type AuditStatus, type Checking, type Outcome, type SignedHead } from './status.js';

export interface AuditOptions {
  readonly eventLog: EventLogLocation;
  readonly objectStore: ObjectStoreAddress;
  readonly origin: string;
  readonly seed: Uint8Array;
  /** Signs in place of the key of the seed. */
  readonly signing?: SigningCommand | null;
  readonly verifiers: readonly string[];
  readonly saltKey: string;
  /** Number of the tree, from 1; another one's files are put aside first. */
  readonly tree: number;
  /** Whether the log records a signed checkpoint of this tree. */
  readonly isBegun: boolean;
  /** Addresses that checkpoints are posted to. */
  readonly witnesses: readonly WitnessAddress[];
  readonly anchors: AnchorOptions;
  /** Origins of addresses that may have private addresses or lack TLS. */
  readonly trustedOrigins: readonly string[];
  /** Milliseconds from one comparison of the whole log to the next; default a day. */
  readonly checkEveryMs?: number;
}

/** Bundles compared with the log before the first checkpoint of this process is signed. */
const TAIL = 4;
/** Pause after each step of the comparison of the whole log, in lengths of the step: it takes a tenth of a core. */
const PAUSE_SHARE = 9;
const CHECK_EVERY_MS = 24 * 60 * 60_000;
/** From a comparison that failed to the next, doubled after each further failure up to the usual time. */
const CHECK_RETRY_MS = 60_000;
/** Time to reach the log's end when the process closes; a later start adds the rest. */
const FINISH_MS = 5_000;

/**
 * The log's audit tree, in its own thread. Methods: `publish(signed, end)` and `finish(signed, end)` receive the newest note
 * known elsewhere and the position up to which to sign (null: all), and return a `SignedHead`, null while there is none; `status()`. Emits `OUTCOME` after each attempt.
 */
export const createService: CreateService<AuditOptions> = async (options, { emit }) => {
  const log = await openStoredEvents(options.eventLog);
  const objects = await openObjectStore(options.objectStore);
  const { place, timestamps } = options.anchors;
  // Loading the HTTP client takes a tenth of a second of CPU at each start, and few installations have witnesses.
  const egress =
    options.witnesses.length > 0 || timestamps !== null || place?.kind === 'web'
      ? (await import('#primitives/egress/index.js')).openEgress({ trusted: options.trustedOrigins })
      : null;
  const audit = new Audit(
    log,
    objects,
    options,
    new Witnesses(options.witnesses, egress),
    new Anchors(options.anchors, new TreeFiles(objects), egress),
    (outcome) => emit(OUTCOME, outcome),
  );
  return {
    handle(method, args) {
      const [signed, end] = args as [string | null, string | null];
      if (method === 'publish') return audit.publish(signed, end);
      if (method === 'finish') return audit.finish(signed, end);
      if (method === 'status') return audit.status();
      throw new Error(`the audit has no method ${method}`);
    },
    async close() {
      await audit.close();
      await Promise.all([log.close(), objects.close(), egress?.close()]);
    },
  };
};

class Audit {
  private readonly ending = new AbortController();
  private readonly archive: ArchiveReader;
  private readonly files: TreeFiles;
  private readonly signer: LogSigner;
  private readonly verifiers: readonly Verifier[];
  /** Findings by position or text, so that each counts once. */
  private readonly findings = new Map<string, Finding>();
  private head: PublishedHead | null = null;
  private signedAt: string | null = null;
  private checkedAt: string | null = null;
  private error: string | null = null;
  private checkError: string | null = null;
  private isBegun: boolean;
  private tailHolds = false;
  private running: Promise<SignedHead | null> | null = null;
  private comparing: Promise<void> | null = null;
  private checking: Checking = { what: 'events', done: 0, total: 0 };

  constructor(
    private readonly log: EventReader,
    private readonly objects: ObjectStore,
    private readonly options: AuditOptions,
    private readonly witnesses: Witnesses,
    private readonly anchors: Anchors,
    private readonly onOutcome: (outcome: Outcome) => void,
  ) {
    this.files = new TreeFiles(objects);
    this.archive = new ArchiveReader(options.objectStore);
    this.isBegun = options.isBegun;
    const { origin, signing } = options;
    this.signer = signing
      ? { ...verifierOf(origin, publicKeyOf(signing.publicKey)), command: signing.command }
      : signerOf(origin, options.seed);
    this.verifiers = options.verifiers.map((key) => parseVerifier(key));
  }

  status(): AuditStatus {
    const { head, signedAt, checkedAt, checking, findings } = this;
    const error = this.error ?? this.checkError;
    const [first] = findings.values();
    return {
      ...{ size: head?.size ?? 0, signedAt, checkedAt, error, checking: checkedAt === null ? checking : null },
      ...{ problems: findings.size, first: first ?? null, witnesses: this.witnesses.status() },
      ...this.anchors.status(),
    };
  }

  /**
   * Adds the log's new events, and signs.
   * @throws TreeReplacedError when another process has done so
   */
  async publish(signed: string | null, end: string | null, isLast = false): Promise<SignedHead | null> {
    await this.running;
    this.running = this.extend(signed, end, isLast).finally(() => (this.running = null));
    const head = await this.running;
    // Also of a log that is not signed any more, all is compared: that shows what else there is.
    if (!this.ending.signal.aborted) this.comparing ??= this.checkAgain();
    return head;
  }

  /** Publishes a last time, if that can be done soon. */
  async finish(signed: string | null, end: string | null): Promise<SignedHead | null> {
    const timer = setTimeout(() => this.ending.abort(), FINISH_MS);
    return this.publish(signed, end, true).finally(() => clearTimeout(timer));
  }

  async close(): Promise<void> {
    this.ending.abort();
    await this.running?.catch(() => undefined);
    await this.comparing;
    await Promise.all([this.archive.close(), this.anchors.close()]);
  }

  private async extend(signed: string | null, end: string | null, isLast: boolean): Promise<SignedHead | null> {
    try {
      const { tree, origin } = this.options;
      if (tree > 1 && !this.isBegun) await putAside(this.objects, { tree, origin, verifiers: this.verifiers });
      this.tailHolds ||= await this.checkTail();
      const before = this.head?.note ?? null;
      if (!this.tailHolds) return this.head;
      const kept = await this.anchors.newest(origin, this.ending.signal);
      this.head = await extendTree({
        files: this.files,
        read: (position) => storedPages(this.log, position, end),
        signer: this.signer,
        verifiers: this.verifiers,
        saltKey: this.options.saltKey,
        known: { signed: before ?? signed, kept, isBegun: this.isBegun },
        signal: this.ending.signal,
      });
      this.isBegun ||= this.head !== null;
      if (this.head && this.head.note !== before) this.signedAt = new Date().toISOString();
      if (this.head) this.head = await this.witnessed(this.head);
      this.error = this.report('extend-audit-tree', null);
      if (this.head) await this.anchor(this.head.note, isLast);
    } catch (error) {
      if (error instanceof TreeReplacedError) throw error;
      if (error instanceof WitnessedMoreError) {
        this.tailHolds = false;
        this.found({ problem: 'lost', position: null, what: error.message });
      } else if (error instanceof TreeDamagedError || error instanceof NoteError)
        this.found({ problem: error instanceof TreeLostError ? 'lost' : 'tree', position: null, what: error.message });
      else this.error = this.report('extend-audit-tree', error);
    }
    return this.head;
  }

  /** Posts the checkpoint, and keeps the cosignatures with it. @throws WitnessedMoreError, TreeReplacedError */
  private async witnessed(head: PublishedHead): Promise<PublishedHead> {
    const { files, verifiers } = this;
    const { signal } = this.ending;
    const note = await this.witnesses.submit({ files, note: head.note, verifiers, signal });
    if (note === head.note) return head;
    if ((await files.checkpoint()) !== head.note) throw new TreeReplacedError();
    await files.putCheckpoint(note);
    return { ...head, note };
  }

  /** Failures change nothing but the status: the next turn tries again. */
  private async anchor(note: string, isLast: boolean): Promise<void> {
    await this.anchors.take(note, isLast, this.ending.signal);
    const { checkpoints, timestamps } = this.anchors.status();
    if (checkpoints === null && timestamps === null) return;
    const failed = checkpoints?.error ?? timestamps?.error ?? null;
    this.report('anchor-checkpoint', failed === null ? null : new AnchorFailedError(failed));
  }

  /**
   * Whether the end of the tree equals the log's events there.
   * @throws TreeDamagedError, NoteError
   */
  private async checkTail(): Promise<boolean> {
    const note = await this.files.checkpoint();
    if (note === null) return true;
    const { size } = openCheckpoint(note, this.verifiers);
    await this.compare(note, Math.max(0, bundleOf(size - 1) - TAIL), false);
    return this.findings.size === 0;
  }

  /** Compares everything, now and each day; after a failure sooner. */
  private async checkAgain(): Promise<void> {
    const { checkEveryMs = CHECK_EVERY_MS } = this.options;
    const { signal } = this.ending;
    let retryMs = CHECK_RETRY_MS;
    while (!signal.aborted) {
      let waitMs = checkEveryMs;
      try {
        const note = await this.files.checkpoint();
        if (note !== null) await this.compare(note, 0, true);
        this.checkedAt = new Date().toISOString();
        this.checkError = this.report('check-audit-tree', null);
        retryMs = CHECK_RETRY_MS;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof TreeDamagedError || error instanceof NoteError) {
          this.found({ problem: 'tree', position: null, what: error.message });
          this.checkedAt = new Date().toISOString();
        } else if (error instanceof LogDamagedError)
          this.found({ problem: 'changed', position: error.position, what: error.problem });
        this.checkError = this.report('check-audit-tree', error);
        waitMs = Math.min(retryMs, checkEveryMs);
        retryMs *= 2;
      }
      await sleep(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** @returns the error's name for `status`; null without one */
  private report(name: Outcome['name'], thrown: unknown): string | null {
    if (this.ending.signal.aborted) return null;
    const error = thrown === null || thrown instanceof Error ? thrown : new Error('unknown');
    this.onOutcome({ name, error: error && String(error) });
    return error && error.name;
  }

  /** @param isWhole whether to compare objects too, and to leave most of the core to others */
  private async compare(note: string, fromBundle: number, isWhole: boolean): Promise<void> {
    const head = openCheckpoint(note, this.verifiers);
    if (head.size === 0) return;
    const last = await this.positionOf(head.size - 1, head.size);
    const after = fromBundle === 0 ? null : await this.positionOf(fromBundle * 256 - 1, head.size);
    const references = new References();
    const replacedKeys = new ReplacedKeys();
    const events = this.pages(after, last);
    const onFinding = (finding: Finding) => this.found(finding);
    const noted = (event: StoredEvent) => {
      references.add(event);
      replacedKeys.add(event);
    };
    const pause = this.pauses(isWhole);
    await compare({
      ...{ files: this.files, head, fromBundle, onFinding },
      events: isWhole ? noting(events, noted) : events,
      onProgress: (done) => pause({ what: 'events', done, total: head.size }),
    });
    if (!isWhole) return;
    const { files, verifiers } = this;
    await replacedKeys.requireCurrent(note, { files, size: head.size, verifiers }).catch((error: unknown) => {
      if (!(error instanceof TreeDamagedError)) throw error;
      onFinding({ problem: 'tree', position: null, what: error.message });
    });
    await compareObjects({
      ...{ objects: this.objects, references, onFinding },
      later: () => storedPages(this.log, last),
      onProgress: (done, total) => pause({ what: 'objects', done, total }),
    });
  }

  /** Events after one position, up to another. Those that the archive lacks are found, and compared without their texts. */
  private pages(after: string | null, last: string): AsyncIterable<readonly StoredEvent[]> {
    const { eventLog } = this.options;
    if (eventLog.adapter !== 'sqlite') return storedPages(this.log, after, last);
    const rows = readStoredRows(eventLog.directory, after);
    return upTo(
      withArchived(rows, this.archive, ({ position, problem }) =>
        this.found({ problem: 'object', position, what: problem }),
      ),
      last,
    );
  }

  /** Pauses after each step for longer than the step took, so that the comparison takes a tenth of a core. */
  private pauses(isThrottled: boolean): (checking: Checking) => Promise<void> {
    const { signal } = this.ending;
    let since = performance.now();
    return async (checking) => {
      signal.throwIfAborted();
      this.checking = checking;
      await sleep(isThrottled ? PAUSE_SHARE * (performance.now() - since) : 0, undefined, { signal });
      since = performance.now();
    };
  }

  private async positionOf(leaf: number, size: number): Promise<string> {
    const { first, entries } = await this.files.leaves(bundleOf(leaf), size);
    const position = factsOf(entries[leaf - first]!)?.position;
    if (position === undefined) throw new TreeDamagedError(`the entry of leaf ${leaf} is damaged`);
    return position;
  }

  private found(finding: Finding): void {
    const place = `${finding.problem} ${finding.position ?? finding.what}`;
    if (this.findings.has(place) || this.findings.size >= 1_000) return;
    this.findings.set(place, finding);
    const error = `${finding.problem} at position ${finding.position ?? '-'}: ${finding.what}`;
    this.onOutcome({ name: 'audit-finding', error });
  }
}

/** A checkpoint could not be kept, or not stamped. */
class AnchorFailedError extends Error {
  override readonly name = 'AnchorFailedError';
}
