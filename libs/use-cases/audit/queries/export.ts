import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Readable } from 'node:stream';
import { Application } from '#application/application.js';
import { forbidden, may, type Caller } from '#application/caller.js';
import { NoteError, parseVerifier } from '#audit/checkpoint.js';
import { exportLines, type Exported, type ExportScope, type HiddenRevisions } from '#audit/export.js';
import { EXPORT_COLUMNS, tableRows } from '#audit/export-table.js';
import { reveal, sealedIn } from '#audit/revealed.js';
import { storedTexts } from '#audit/stored-pages.js';
import { TreeFiles } from '#audit/tree-files.js';
import { ParquetExport } from '#rows/formats/index.js';
import { AUDIT_KEYS, auditKeyDecider } from '#domain/audit-key/index.js';
import { ConflictError, InvalidError, NotFoundError, UnavailableError } from '#domain/errors.js';
import { ChildDiedError } from '#primitives/confined-process/index.js';
import { categoryOf } from '#domain/streams.js';
import { StreamNotFoundError, type RecordedEvent } from '#ports/event-store/port.js';
import { erasureOf, isWithheldFrom, ownedBy } from '../../events/visible.js';

interface AuditExportOrder {
  /** `<category>-<id>`; absent: all events of the workspace. */
  readonly stream?: string;
  /** ISO 8601, inclusive. */
  readonly from?: string;
  readonly to?: string;
  /** Whether encrypted texts are shown, too. */
  readonly content?: boolean;
  /** Default: jsonl. */
  readonly format?: 'jsonl' | 'parquet';
}

export class ExportAudit extends Query<Readable> {
  constructor(
    readonly caller: Caller,
    readonly order: AuditExportOrder,
    /** Aborts when the client has disconnected. */
    readonly signal: AbortSignal,
  ) {
    super();
  }
}

interface Selection {
  readonly caller: Caller;
  readonly scope: ExportScope;
  /** Position of the last event to export: later ones would never end. */
  readonly until: string;
  /** Whether encrypted texts are shown, too. */
  readonly withContent: boolean;
  readonly signal: AbortSignal;
}

/** Revisions of a stream, inclusive. */
interface Revisions {
  readonly first: number;
  readonly last: number;
}

/**
 * The caller's events as `GET /events` shows them, each with its proof. Events that are not shown whole there are
 * without their texts here.
 */
@QueryHandler(ExportAudit)
export class ExportAuditHandler implements IQueryHandler<ExportAudit> {
  private readonly parquet = new ParquetExport();

  constructor(private readonly application: Application) {}

  /**
   * @throws ForbiddenError for content; NotFoundError before the first checkpoint, and for a stream without an event of the caller's workspace; ConflictError for
   * events that cannot be a Parquet file
   */
  async execute({ caller, order, signal }: ExportAudit): Promise<Readable> {
    const { stream = null, from = null, to = null, content: withContent = false } = order;
    if (withContent && !may(caller, 'content')) throw forbidden(caller, ['content']);
    if (from !== null && to !== null && from > to)
      throw new InvalidError({ path: ['query', 'from'], message: 'must not be later than `to`', type: 'out_of_range' });
    const { ports } = this.application;
    const files = new TreeFiles(ports.objectStore);
    const note = await files.checkpoint();
    if (note === null) throw new NotFoundError('checkpoint', 'newest');
    const { keys } = await this.application.load(auditKeyDecider, AUDIT_KEYS);
    const publicKeys = keys.map(({ verifier }) => verifier);
    const until = (await this.application.storedEvents.head()).position ?? '';
    const selection: Selection = { caller, scope: { stream, from, to }, until, withContent, signal };
    const events = stream === null ? this.ofWorkspace(selection) : await this.ofStream(stream, selection);
    try {
      const lines = exportLines({
        ...{ files, note, publicKeys, events, scope: selection.scope, isWhole: false },
        verifiers: publicKeys.map((key) => parseVerifier(key)),
        now: new Date().toISOString(),
      });
      if (order.format !== 'parquet') return Readable.from(lines, { objectMode: false });
      return (await this.parquet.make(tableRows(lines), EXPORT_COLUMNS, caller.workspaceId, signal)).content;
    } catch (error) {
      if (signal.aborted) throw new UnavailableError('the client closed the connection');
      if (error instanceof ChildDiedError)
        throw new ConflictError(`these events cannot be written as Parquet: ${error.message}; ask for format=jsonl`);
      if (!(error instanceof NoteError)) throw error;
      throw new UnavailableError(`the audit tree is damaged: ${error.message}; see GET /health`);
    }
  }

  private async *ofWorkspace(selection: Selection): AsyncGenerator<Exported> {
    const { caller, scope, until, signal } = selection;
    const isOwn = ownedBy(caller);
    for await (const event of this.application.storedEvents.readAll()) {
      if (signal.aborted || event.position > until) return;
      if (isOwn(event) && isWithin(event, scope) && !(await this.isDeleted(event)))
        yield await this.shown(event, selection);
    }
  }

  /** Every revision from the first to the last that the times select, so that a missing one is seen. */
  private async ofStream(stream: string, selection: Selection): Promise<AsyncIterable<Exported>> {
    const revisions = await this.revisionsOf(stream, selection);
    return this.revisions(stream, revisions, selection);
  }

  private async *revisions(stream: string, { first, last }: Revisions, selection: Selection): AsyncGenerator<Exported> {
    const { caller, signal } = selection;
    const isOwn = ownedBy(caller);
    let hidden: HiddenRevisions | null = null;
    const options = { fromRevision: first, limit: last - first + 1 };
    if (options.limit === 0) return;
    for await (const event of this.application.storedEvents.readStream(stream, options)) {
      if (signal.aborted) return;
      const { revision } = event;
      if (!isOwn(event)) {
        const first_revision: number = hidden?.first_revision ?? revision;
        hidden = { stream, first_revision, last_revision: revision, withheld: 'another_workspace' };
        continue;
      }
      if (hidden !== null) yield { hidden };
      hidden = null;
      yield await this.shown(event, selection);
    }
  }

  /** @throws NotFoundError */
  private async revisionsOf(stream: string, { caller, scope, until, signal }: Selection): Promise<Revisions> {
    const isOwn = ownedBy(caller);
    let owns = false;
    // A prefix of a stream begins with its first revision, whosever that is.
    let [first, last] = [scope.from === null ? 0 : Infinity, -1];
    try {
      for await (const event of this.application.storedEvents.readStream(stream)) {
        if (signal.aborted || event.position > until) break;
        if (!isOwn(event)) continue;
        owns = true;
        if (!isWithin(event, scope)) continue;
        first = Math.min(first, event.revision);
        last = event.revision;
      }
    } catch (error) {
      if (!(error instanceof StreamNotFoundError)) throw error;
    }
    if (!owns) throw new NotFoundError('stream', stream);
    return last < 0 ? { first: 0, last } : { first, last };
  }

  private async shown(event: RecordedEvent, { caller, withContent }: Selection): Promise<Exported> {
    const stored = storedTexts(event);
    const isSealed = sealedIn(stored) !== null;
    const isErased = (await erasureOf(this.application, event)) !== null;
    // The event of a call also has its metering, which stays. Its key is destroyed.
    if (isErased && isSealed && event.type === 'call-metered.v1')
      return { event: stored, withheld: null, revealed: null };
    if (isErased) return { event: stored, withheld: 'erased' };
    // Ciphertext shows nobody anything.
    if (!isSealed && isWithheldFrom(caller, event)) return { event: stored, withheld: 'content' };
    const { contentKeys } = this.application;
    const revealed = withContent && contentKeys ? await reveal(contentKeys, stored) : null;
    return { event: stored, withheld: null, revealed };
  }

  /**
   * Whether the stream was deleted, although its events stay readable in the log until the store reclaims their space.
   */
  private async isDeleted({ stream }: RecordedEvent): Promise<boolean> {
    if (categoryOf(stream) !== 'joblog') return false;
    try {
      for await (const _ of this.application.storedEvents.readStream(stream, { limit: 1 })) return false;
      return true;
    } catch (error) {
      if (error instanceof StreamNotFoundError) return true;
      throw error;
    }
  }
}

const isWithin = ({ metadata: { occurredAt } }: RecordedEvent, { from, to }: ExportScope): boolean =>
  (from === null || occurredAt >= from) && (to === null || occurredAt <= to);
