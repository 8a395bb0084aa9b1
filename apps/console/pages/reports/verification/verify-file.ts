import { openCheckpoint, parseVerifier, parseVerifiers, readCheckpoint } from '#audit/note.js';
import { EXPORT_FORMAT, type ExportHead } from '#audit/export-format.js';
import { verifyExport, type VerifiedExport } from '#audit/verify-export.js';
import { linesOf } from './lines.js';

/** Findings that are shown; all are counted. */
const MAX_FINDINGS = 100;

export interface Given {
  readonly file: Blob;
  /** Public keys from outside, a line each; empty: those that the export names. */
  readonly keys: string;
  /** A checkpoint that was kept; empty: none. */
  readonly checkpoint: string;
}

export interface Finding {
  readonly problem: string;
  readonly position: string | null;
  readonly what: string;
}

export interface Result extends VerifiedExport {
  readonly problems: number;
  /** The first ones. */
  readonly findings: readonly Finding[];
  /** What the kept checkpoint says about the export's own. */
  readonly kept: 'none' | 'same' | 'other-size';
  /** Whether the keys came from outside. */
  readonly keyed: boolean;
  readonly head: Pick<ExportHead, 'stream' | 'from' | 'to' | 'whole_log' | 'exported_at'> | null;
}

/**
 * Verifies the file of an export by what is in it and what was kept, without any request.
 * @param onRead bytes read so far
 * @throws NoteError for a key or a checkpoint that is none; Error for a Parquet file
 */
export async function verifyFile({ file, keys, checkpoint }: Given, onRead: (bytes: number) => void): Promise<Result> {
  const start = await file.slice(0, 4).text();
  if (start === 'PAR1')
    throw new Error(
      'This is a Parquet file; export as JSON lines for the browser, or run: npx anneal audit verify FILE',
    );
  const verifiers = parseVerifiers(keys);
  const findings: Finding[] = [];
  let problems = 0;
  const onFinding = (finding: Finding): void => {
    problems += 1;
    if (findings.length < MAX_FINDINGS) findings.push(finding);
  };
  let first: string | null = null;
  const noting = async function* () {
    for await (const line of linesOf(file, onRead)) {
      first ??= line;
      yield line;
    }
  };
  const given = verifiers.length > 0 ? verifiers : null;
  const verified = await verifyExport({ lines: noting(), verifiers: given, onFinding });
  const head = headOf(first);
  const kept = checkpoint.trim() === '' ? 'none' : compared(checkpoint, head, verifiers, onFinding);
  return { ...verified, problems, findings, kept, keyed: given !== null, head };
}

function headOf(line: string | null): ExportHead | null {
  try {
    const head = JSON.parse(line ?? '') as ExportHead;
    return head.format === EXPORT_FORMAT ? head : null;
  } catch {
    return null;
  }
}

/** Of two checkpoints of one size, the roots must be the same. Others can be compared with the tree at hand only. */
function compared(
  note: string,
  head: ExportHead | null,
  verifiers: ReturnType<typeof parseVerifiers>,
  onFinding: (finding: Finding) => void,
): Result['kept'] {
  const text = note.endsWith('\n') ? note : `${note}\n`;
  if (head === null) return 'none';
  const kept = openCheckpoint(
    text,
    verifiers.length > 0 ? verifiers : head.public_keys.map((key) => parseVerifier(key)),
  );
  const own = readCheckpoint(head.checkpoint);
  const differs = (what: string) => onFinding({ problem: 'tree', position: null, what });
  if (kept.origin !== own.origin)
    differs(`the kept checkpoint is of ${kept.origin}, and the export is of ${own.origin}`);
  else if (kept.size > own.size)
    differs(
      `the kept checkpoint signs ${kept.size} events, and the export's only ${own.size}: the end was cut off, or the export is older`,
    );
  else if (kept.size < own.size) return 'other-size';
  else if (kept.root.some((byte, at) => byte !== own.root[at]))
    differs(`the kept checkpoint signs ${kept.size} other events than the export's: the log was made anew`);
  return kept.size === own.size ? 'same' : 'other-size';
}
