import { NoteError, partsOf, signatureIn, type Verifier } from './note.js';
import { utf8, verifyEd25519 } from './primitives.js';

/** Bytes of the time before the signature. */
export const STAMP_BYTES = 8;
const SIGNATURE_BYTES = 64;

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
    const seconds = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0);
    if (verifyEd25519(witness.raw, cosigned(partsOf(note).text, seconds), bytes.subarray(STAMP_BYTES)))
      return new Date(Number(seconds) * 1_000);
  }
  return null;
}

/** @throws NoteError unless every witness cosigned the checkpoint */
export function requireCosigned(note: string, witnesses: readonly Verifier[]): void {
  for (const witness of witnesses)
    if (cosignedAt(note, witness) === null) throw new NoteError(`the checkpoint is not cosigned by ${witness.name}`);
}

/** The text that a witness signs. */
export const cosigned = (text: string, seconds: bigint): Uint8Array => utf8(`cosignature/v1\ntime ${seconds}\n${text}`);
