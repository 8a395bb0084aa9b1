import { createSecretKey, type KeyObject } from 'node:crypto';
import {
  heldMac,
  heldRows,
  inspectSeal,
  linked,
  linkedText,
  NO_TEXTS,
  rowsAfter,
  sealed,
  SEALED_COVERED,
  SEALED_END,
  storedSeal,
  textsUpTo,
  type Link,
  type LinkedRow,
  type SealedEnd,
  type SealedHeld,
} from './sealed-rows.js';
import type { SealState } from '../seal.js';
import { LOG_ID, type LogTables } from './tables.js';

/** Places kept in memory, to one of which `cover` moves. Beyond it every second one is dropped. */
const MAX_LINKS = 65_536;

/** Seals the end of the log with each commit, in the writer: a SHA-256 for each event and an HMAC for each commit, of a microsecond or two. */
export class Sealer {
  private end: SealedEnd;
  private covered: Link;
  /** Places after the covered one, in their order. */
  private links: Link[] = [];
  private stride = 1;
  private skipped = 0;
  private isChanged = false;
  private readonly logId: string;
  private readonly key: KeyObject;

  private constructor(
    private readonly keys: readonly Uint8Array[],
    tables: LogTables,
    covered: Link,
    removed: readonly number[],
  ) {
    this.key = createSecretKey(keys[0]!);
    this.logId = tables.meta(LOG_ID) as string;
    this.covered = covered;
    this.end = { ...covered, ...NO_TEXTS, removed };
    this.readAgain(tables);
  }

  /** Seals all that is on the log, within the writer's transaction. */
  static begin(tables: LogTables, keys: readonly Uint8Array[]): Sealer {
    const stored = storedSeal(tables.database, keys, tables.meta(LOG_ID) as string);
    // A deletion takes the name of a stream; what still has one was marked by somebody else.
    tables.keepRemoved(stored?.end.removed ?? tables.removedWithoutName());
    const covered = stored?.covered ?? { position: tables.highestPosition(), hash: '' };
    const sealer = new Sealer(keys, tables, covered, tables.removedWithoutName());
    sealer.storeCovered(tables);
    for (const [id, stream, type, data, metadata] of heldRows(tables.database))
      tables.sealHeld(id, sealer.macOfHeld([id, stream, type, data, metadata]));
    sealer.isChanged = true;
    sealer.store(tables);
    return sealer;
  }

  /** How the end compares with the seal by now. */
  inspect(tables: LogTables): SealState {
    return inspectSeal(tables.database, this.keys, this.logId);
  }

  macOfHeld(held: SealedHeld): string {
    return heldMac(this.key, this.logId, held);
  }

  add(row: LinkedRow): void {
    const link = { position: row[0], hash: linked(this.end.hash, row) };
    this.end = { ...this.end, ...link };
    this.isChanged = true;
    this.keep(link);
  }

  /** @param ids of the texts, some of which may be older */
  learned(texts: readonly string[], ids: readonly number[]): void {
    for (const [at, id] of ids.entries())
      if (id > this.end.text) {
        this.end = { ...this.end, text: id, texts: linkedText(this.end.texts, id, texts[at]!) };
        this.isChanged = true;
      }
  }

  /** Writes the seal, if something was added: the last step before a commit. */
  store(tables: LogTables): void {
    if (this.isChanged) tables.setMeta(SEALED_END, sealed(this.key, this.logId, SEALED_END, this.end));
    this.isChanged = false;
  }

  /** Leaves what is up to this position to a checkpoint. */
  cover(tables: LogTables, position: number): void {
    const at = this.links.findLastIndex((link) => link.position <= position);
    if (at < 0) return;
    this.covered = this.links[at]!;
    this.links = this.links.slice(at + 1);
    if (this.links.length === 0) this.stride = 1;
    this.storeCovered(tables);
  }

  /** Whether the seal covers an event at this position, so that it must stay as it is. */
  holds(position: number): boolean {
    return position > this.covered.position;
  }

  /** A deleted stream whose events are to be cleared; null for none. */
  get toClear(): number | null {
    return this.end.removed[0] ?? null;
  }

  cleared(stream: number): void {
    this.end = { ...this.end, removed: this.end.removed.filter((each) => each !== stream) };
    this.isChanged = true;
  }

  /** Before a stream is deleted. */
  delete(tables: LogTables, { id, name }: { readonly id: number; readonly name: string }): void {
    if (this.holds(tables.lastOf(id))) this.leaveOut(tables, name);
    this.end = { ...this.end, removed: [...this.end.removed, id] };
    this.isChanged = true;
  }

  /** Links the events again without those of a stream, unless somebody has changed the log meanwhile: then the seal stays broken. */
  private leaveOut(tables: LogTables, stream: string): void {
    let last = this.covered.hash;
    for (const row of rowsAfter(tables.database, this.covered.position)) last = linked(last, row);
    if (last !== this.end.hash) return;
    this.readAgain(tables, stream);
  }

  /** Goes back to what is stored, after a transaction that may have failed. Without a seal, the next one is refused. */
  reload(tables: LogTables): void {
    const stored = storedSeal(tables.database, this.keys, this.logId);
    if (stored === null) return;
    this.end = stored.end;
    this.covered = stored.covered;
    this.links = this.links.filter(({ position }) => position > this.covered.position && position <= this.end.position);
    this.isChanged = false;
  }

  private readAgain(tables: LogTables, without: string | null = null): void {
    const { position, removed } = this.end;
    [this.links, this.stride, this.skipped] = [[], 1, 0];
    this.end = { ...this.covered, ...NO_TEXTS, removed };
    for (const row of rowsAfter(tables.database, this.covered.position)) if (row[1] !== without) this.add(row);
    this.end = { ...this.end, position: Math.max(position, this.end.position), ...textsUpTo(tables.database) };
  }

  private keep(link: Link): void {
    this.skipped += 1;
    if (this.skipped < this.stride) return;
    this.skipped = 0;
    this.links.push(link);
    if (this.links.length < MAX_LINKS) return;
    this.links = this.links.filter((_, at) => at % 2 === 1);
    this.stride *= 2;
  }

  private storeCovered(tables: LogTables): void {
    tables.setMeta(SEALED_COVERED, sealed(this.key, this.logId, SEALED_COVERED, this.covered));
  }
}
