import { openCheckpoint, type Verifier } from './checkpoint.js';
import { factsOf, type StoredEvent } from './entries.js';
import { Inclusions, type Inclusion } from './inclusion.js';
import type { Revealed } from './revealed.js';
import { TreeDamagedError, type TreeFiles } from './tree-files.js';

export const EXPORT_FORMAT = 'anneal-audit-export/1';

/** Conditions on the events of an export; an event must meet all. */
export interface ExportScope {
  readonly stream: string | null;
  /** ISO 8601 in UTC with milliseconds, inclusive. */
  readonly from: string | null;
  readonly to: string | null;
}

/** The first line. */
export interface ExportHead extends ExportScope {
  readonly format: typeof EXPORT_FORMAT;
  /** Whether it has the whole log, so that every leaf of the tree has its line. */
  readonly whole_log: boolean;
  /** The signed note of the tree that the proofs lead to. */
  readonly checkpoint: string;
  /** All keys that checkpoints of this log were signed with, the newest last. */
  readonly public_keys: readonly string[];
  readonly exported_at: string;
}

/** Why an event has no proof: no checkpoint covers it yet; or the tree is not the log's, which `audit verify` explains. */
type Unproven = 'newer_than_checkpoint' | 'not_in_tree' | 'tree_damaged';
/** Why an event is without its texts: its caller had the content erased; the reader may not see `content`; or the log has no event for the leaf, as after a deletion. */
type Withheld = 'erased' | 'content' | 'not_in_log';

/** The line of an event. */
export interface ExportedEvent {
  readonly position: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  /** The hashed texts. */
  readonly id?: string;
  readonly data?: string;
  readonly metadata?: string;
  readonly salt?: string;
  /** JSON of what `data` has encrypted, where the export was asked for it, and the key that opens it, in base64. */
  readonly content?: string;
  readonly content_key?: string;
  /** The digest that the tree has in place of withheld texts. */
  readonly digest?: string;
  readonly leaf_index?: number;
  /** Base64. */
  readonly inclusion_proof?: readonly string[];
  readonly withheld?: Withheld;
  readonly unproven?: Unproven;
}

/** Revisions of the exported stream that are not the caller's to see. */
export interface HiddenRevisions {
  readonly stream: string;
  readonly first_revision: number;
  readonly last_revision: number;
  readonly withheld: 'another_workspace';
}

/** The last line: a file without it is not whole. */
export interface ExportEnd {
  readonly events: number;
  readonly proven: number;
  readonly withheld: number;
  readonly unproven: number;
}

export type Exported =
  | { readonly event: StoredEvent; readonly withheld: Withheld | null; readonly revealed?: Revealed | null }
  | { readonly hidden: HiddenRevisions };

interface ExportOptions {
  readonly files: TreeFiles;
  /** The newest checkpoint. */
  readonly note: string;
  readonly publicKeys: readonly string[];
  readonly verifiers: readonly Verifier[];
  readonly scope: ExportScope;
  /** Whether the events are all of the log. */
  readonly isWhole: boolean;
  /** In the order of the log. */
  readonly events: AsyncIterable<Exported> | Iterable<Exported>;
  readonly now: string;
}

/**
 * The lines of an export, generated lazily.
 * @throws NoteError when none of the keys signed the checkpoint
 */
export function exportLines(options: ExportOptions): AsyncGenerator<string> {
  const { note, verifiers, files } = options;
  const { size } = openCheckpoint(note, verifiers);
  return linesOf(options, new Prover(new Inclusions(files, size)), size);
}

async function* linesOf(options: ExportOptions, prover: Prover, size: number): AsyncGenerator<string> {
  const { note, publicKeys, scope, isWhole, events, now } = options;
  const head: ExportHead = {
    ...{ format: EXPORT_FORMAT, ...scope, whole_log: isWhole },
    ...{ checkpoint: note, public_keys: publicKeys, exported_at: now },
  };
  yield line(head);
  const counts = { events: 0, proven: 0, withheld: 0, unproven: 0 };
  const written = (event: ExportedEvent): string => {
    counts.events += 1;
    if (event.withheld !== undefined) counts.withheld += 1;
    counts[event.unproven === undefined ? 'proven' : 'unproven'] += 1;
    return line(event);
  };
  let next = 0;
  const gone = async function* (until: number): AsyncGenerator<string> {
    for (; isWhole && next < until; next += 1) yield written(await prover.gone(next));
  };
  for await (const exported of events) {
    if ('hidden' in exported) {
      yield line(exported.hidden);
      continue;
    }
    const event = await prover.event(exported);
    if (event.leaf_index !== undefined) {
      yield* gone(event.leaf_index);
      next = event.leaf_index + 1;
    }
    yield written(event);
  }
  yield* gone(size);
  yield line({ end: counts satisfies ExportEnd });
}

class Prover {
  constructor(private readonly inclusions: Inclusions) {}

  async event({ event, withheld, revealed = null }: Exclude<Exported, { hidden: unknown }>): Promise<ExportedEvent> {
    const { position, stream, revision, type, id, data, metadata } = event;
    const facts = { position, stream, revision, type };
    const texts = withheld ? { withheld } : { id, data, metadata, ...contentOf(revealed) };
    const found = await this.find(position);
    if (typeof found === 'string') return { ...facts, ...texts, unproven: found };
    // The salt would let others guess a withheld text.
    const proved = withheld ? { digest: digestOf(found.entry) } : { salt: found.salt };
    return { ...facts, ...texts, ...proved, ...place(found) };
  }

  /** The leaf of an event that the log lacks. */
  async gone(leaf: number): Promise<ExportedEvent> {
    const found = await this.inclusions.at(leaf);
    const facts = factsOf(found.entry);
    if (facts === null) throw new TreeDamagedError(`the entry of leaf ${leaf} is damaged`);
    return { ...facts, withheld: 'not_in_log', digest: digestOf(found.entry), ...place(found) };
  }

  private async find(position: string): Promise<Inclusion | Unproven> {
    try {
      const end = await this.inclusions.end();
      if (end === null || position > end) return 'newer_than_checkpoint';
      return (await this.inclusions.of(position)) ?? 'not_in_tree';
    } catch (error) {
      if (error instanceof TreeDamagedError) return 'tree_damaged';
      throw error;
    }
  }
}

const line = (value: object): string => `${JSON.stringify(value)}\n`;

const contentOf = (revealed: Revealed | null) =>
  revealed && { content: revealed.text, content_key: Buffer.from(revealed.key).toString('base64') };

const digestOf = (entry: string): string => entry.slice(entry.lastIndexOf('\n') + 1);

const place = ({ leaf, proof }: Inclusion) => ({
  leaf_index: leaf,
  inclusion_proof: proof.map((hash) => Buffer.from(hash).toString('base64')),
});
