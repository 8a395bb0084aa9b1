import type { Finding } from './finding.js';
import { requireCosigned } from './cosigned.js';
import { entryOf, isIncluded } from './entry.js';
import {
  EXPORT_FORMAT,
  type ExportedEvent,
  type ExportEnd,
  type ExportHead,
  type HiddenRevisions,
} from './export-format.js';
import { NoteError, openCheckpoint, parseVerifier, type TreeCheckpoint, type Verifier } from './note.js';
import { isRevealed } from './opened.js';
import { fromBase64 } from './primitives.js';

interface VerifyExportOptions {
  readonly lines: AsyncIterable<string>;
  /** Public keys that may have signed the checkpoint; null for those that the export itself names. */
  readonly verifiers: readonly Verifier[] | null;
  /** Witnesses that must have cosigned the checkpoint. */
  readonly witnesses?: readonly Verifier[];
  readonly onFinding: (finding: Finding) => void;
}

export interface VerifiedExport {
  /** Events under the export's checkpoint. */
  readonly size: number;
  readonly events: number;
  /** Events that the tree has, whole or with their texts withheld. */
  readonly proven: number;
  /** Proven events whose texts are withheld. */
  readonly withheld: number;
  /** Events that no checkpoint covers yet: nothing is proven about them. */
  readonly unproven: number;
}

/** Verifies an export by public keys alone. */
export async function verifyExport(options: VerifyExportOptions): Promise<VerifiedExport> {
  const verification = new Verification(options);
  for await (const line of options.lines) {
    const opening = verification.meet(line);
    if (opening) await opening;
  }
  return verification.end();
}

type Line = { readonly end?: ExportEnd } & Partial<ExportedEvent> & Partial<HiddenRevisions> & Partial<ExportHead>;

class Verification {
  private number = 0;
  private head: ExportHead | null = null;
  private checkpoint: TreeCheckpoint | null = null;
  private ending: ExportEnd | null = null;
  private readonly counts = { events: 0, proven: 0, withheld: 0, unproven: 0 };
  private position = '';
  private leaf = -1;
  /** The expected revision of the next line of an exported stream; null if any may be first. */
  private revision: number | null = null;
  private isBehindTree = false;

  constructor(private readonly options: VerifyExportOptions) {}

  /** @returns a promise where a content has to be decrypted */
  meet(text: string): Promise<void> | void {
    this.number += 1;
    // Shells and editors end a file with an empty line.
    if (this.ending !== null && text.trim() === '') return;
    const line = parsed(text);
    if (line === null) this.find('changed', null, 'it is not a JSON object');
    else if (this.number === 1) this.begin(line);
    else if (this.ending !== null) this.find('added', null, 'it stands behind the end');
    else if (line.end) this.ending = line.end;
    else if (line.withheld === 'another_workspace') this.follow(line, line.first_revision!, line.last_revision!);
    else return this.event(line as ExportedEvent);
  }

  end(): VerifiedExport {
    const size = this.checkpoint?.size ?? 0;
    const { counts, ending } = this;
    if (this.head?.whole_log && this.leaf + 1 !== size)
      this.find('removed', null, `the tree has ${size} events, and the last one here is number ${this.leaf + 1}`);
    if (ending === null)
      this.find('removed', null, 'the last line, which counts the events, is missing: the file is cut');
    else
      for (const [what, count] of Object.entries(counts))
        if (ending[what as keyof ExportEnd] !== count)
          this.find('removed', null, `${what}: the last line counts ${ending[what as keyof ExportEnd]}, not ${count}`);
    return { size, ...counts };
  }

  private begin(line: Line): void {
    if (line.format !== EXPORT_FORMAT || !Array.isArray(line.public_keys) || typeof line.checkpoint !== 'string') {
      this.find('tree', null, `it is not the first line of an export (${EXPORT_FORMAT})`);
      return;
    }
    this.head = line as ExportHead;
    this.revision = this.head.from === null ? 0 : null;
    try {
      const { verifiers, witnesses = [] } = this.options;
      this.checkpoint = openCheckpoint(
        line.checkpoint,
        verifiers ?? line.public_keys.map((key: string) => parseVerifier(key)),
      );
      requireCosigned(line.checkpoint, witnesses);
    } catch (error) {
      if (!(error instanceof NoteError)) throw error;
      this.find('tree', null, error.message);
    }
  }

  private event(event: ExportedEvent): Promise<void> | void {
    const { position, stream, revision, type } = event;
    const isEvent = [position, stream, type].every((text) => typeof text === 'string') && Number.isInteger(revision);
    if (!isEvent) {
      this.find('changed', null, 'it is not an event');
      return;
    }
    this.counts.events += 1;
    if (event.withheld !== undefined) this.counts.withheld += 1;
    if (position <= this.position) this.find('changed', position, 'it does not follow the event before');
    this.position = position;
    this.follow(event, revision, revision);
    if (event.unproven === undefined) this.proof(event);
    else this.withoutProof(event);
    if (event.content !== undefined || event.content_key !== undefined) return this.content(event);
  }

  /** Revisions of the exported stream follow each other. */
  private follow({ stream, position }: Pick<Line, 'stream' | 'position'>, first: number, last: number): void {
    if (this.head === null || this.head.stream === null) return;
    const name = this.head.stream;
    if (stream !== name) this.find('added', position ?? null, `it is of ${stream}, and the export is of ${name}`);
    else if (this.revision !== null && first !== this.revision)
      this.find('gap', position ?? null, `revision ${first} of ${name} follows ${this.revision - 1}`);
    this.revision = last + 1;
  }

  /** A content that the export shows is what the event has encrypted. */
  private async content(event: ExportedEvent): Promise<void> {
    const { type, data, content, content_key: key } = event;
    const isGiven = typeof content === 'string' && typeof key === 'string' && typeof data === 'string';
    if (!isGiven || !(await isRevealed({ type, data }, { text: content, key: fromBase64(key) })))
      this.find('changed', event.position, `${placeOf(event)}: \`content\` is not what the event has encrypted`);
  }

  private proof(event: ExportedEvent): void {
    this.counts.proven += 1;
    const { position, leaf_index: leaf, inclusion_proof: proof } = event;
    const entry = entryFrom(event);
    if (entry === null || !Number.isInteger(leaf) || !Array.isArray(proof)) {
      this.find('changed', position, `${placeOf(event)}: its texts, salt or proof are missing`);
      return;
    }
    if (this.isBehindTree) this.find('changed', position, 'an event before it is said to be newer than the checkpoint');
    const expected = this.head?.whole_log ? this.leaf + 1 : null;
    if (leaf! <= this.leaf) this.find('changed', position, `leaf ${leaf} does not follow leaf ${this.leaf}`);
    else if (expected !== null && leaf !== expected)
      this.find('removed', position, `${leaf! - expected} of the tree's events are missing before it`);
    this.leaf = leaf!;
    const hashes = (proof as readonly unknown[]).map((hash) => fromBase64(String(hash)));
    if (this.checkpoint !== null && !isIncluded({ entry, leaf: leaf!, proof: hashes }, this.checkpoint))
      this.find('changed', position, `${placeOf(event)}: it is not in the tree of the checkpoint as it stands here`);
  }

  private withoutProof(event: ExportedEvent): void {
    this.counts.unproven += 1;
    if (event.unproven === 'newer_than_checkpoint') this.isBehindTree = true;
    else this.find('added', event.position, `${placeOf(event)}: it has no proof (${event.unproven})`);
  }

  private find(problem: Finding['problem'], position: string | null, what: string): void {
    this.options.onFinding({ problem, position, what: `line ${this.number}: ${what}` });
  }
}

const placeOf = ({ type, stream, revision }: ExportedEvent): string => `${type} in ${stream}, revision ${revision}`;

/** The tree's entry of the event, if the line is valid; null if something is missing. */
function entryFrom(event: ExportedEvent): string | null {
  const { position, stream, revision, type, id, data, metadata, salt, digest, withheld } = event;
  if (withheld !== undefined)
    return typeof digest === 'string' ? `${position}\n${stream}\n${revision}\n${type}\n${digest}` : null;
  if (![id, data, metadata, salt].every((text) => typeof text === 'string')) return null;
  return entryOf({ position, stream, revision, type, id: id!, data: data!, metadata: metadata! }, salt!);
}

function parsed(text: string): Line | null {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
