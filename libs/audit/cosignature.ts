import { sign, verify } from 'node:crypto';
import { NoteError, partsOf, signatureIn, type Signer, type Verifier } from './checkpoint.js';

const STAMP_BYTES = 8;
const SIGNATURE_BYTES = 64;

/** A witness's statement that it saw this checkpoint as the newest of its log (C2SP tlog-cosignature). */
export function cosignatureLine(note: string, witness: Signer, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1_000);
  const stamp = Buffer.alloc(STAMP_BYTES);
  stamp.writeBigUInt64BE(BigInt(seconds));
  const signature = sign(null, cosigned(partsOf(note).text, BigInt(seconds)), witness.privateKey);
  return `— ${witness.name} ${Buffer.concat([witness.id, stamp, signature]).toString('base64')}`;
}

/**
 * When the witness cosigned the checkpoint; null if none of the lines is a valid signature of its own.
 * @param lines default: those of the note
 */
export function cosignedAt(
  note: string,
  witness: Verifier,
  lines: readonly string[] = partsOf(note).lines,
): Date | null {
  for (const line of lines) {
    const bytes = signatureIn(line, witness);
    if (bytes?.length !== STAMP_BYTES + SIGNATURE_BYTES) continue;
    const seconds = bytes.readBigUInt64BE(0);
    if (verify(null, cosigned(partsOf(note).text, seconds), witness.key, bytes.subarray(STAMP_BYTES)))
      return new Date(Number(seconds) * 1_000);
  }
  return null;
}

/** @throws NoteError unless every witness cosigned the checkpoint */
export function requireCosigned(note: string, witnesses: readonly Verifier[]): void {
  for (const witness of witnesses)
    if (cosignedAt(note, witness) === null) throw new NoteError(`the checkpoint is not cosigned by ${witness.name}`);
}

const cosigned = (text: string, seconds: bigint): Buffer => Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`);
