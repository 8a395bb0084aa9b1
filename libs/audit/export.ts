import { openCheckpoint, type Verifier } from './checkpoint.js';
import { factsOf, type StoredEvent } from './entries.js';
import { Inclusions, type Inclusion } from './inclusion.js';
import type {
  ExportedEvent,
  ExportEnd,
  ExportHead,
  ExportScope,
  HiddenRevisions,
  Unproven,
  Withheld,
} from './export-format.js';
import { EXPORT_FORMAT } from './export-format.js';
import type { Revealed } from './revealed.js';
import { TreeDamagedError, type TreeFiles } from './tree-files.js';

export * from './export-format.js';

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
