import { fromBase64, joined, sameBytes, sha256, toBase64, toHex, utf8, verifyEd25519 } from './primitives.js';
import type { TreeHead } from './tree/proofs.js';

/** The head of a tree, under the tree's name (C2SP tlog-checkpoint). */
export interface TreeCheckpoint extends TreeHead {
  readonly origin: string;
}

/** A public key that checks signed notes (C2SP signed-note): a verifier key. */
export interface Verifier {
  readonly name: string;
  /** The 32 bytes of an Ed25519 public key (RFC 8032). */
  readonly raw: Uint8Array;
  /** First 4 bytes of a hash over name and key, which a signature begins with. */
  readonly id: Uint8Array;
}

/** C2SP's number of Ed25519 signatures. */
export const ED25519 = 1;
/** C2SP's number of timestamped Ed25519 signatures: those of witnesses (tlog-cosignature). */
export const COSIGNATURE = 4;

const KEY_KINDS: Readonly<Record<number, string>> = {
  [ED25519]: 'an Ed25519 key',
  [COSIGNATURE]: "a witness's key (timestamped Ed25519)",
};

/** The name of a tree. */
export const NAME = /^[^\s+]+$/u;
const SIGNATURE = /^— (\S+) ([A-Za-z0-9+/]+=*)$/u;

/** The keys of a text with one a line, as `GET /audit/key` gives those of before and after a rotation. @throws NoteError */
export const parseVerifiers = (text: string, algorithm: number = ED25519): readonly Verifier[] =>
  text
    .split(/\s+/)
    .filter(Boolean)
    .map((key) => parseVerifier(key, algorithm));

/** @throws NoteError unless the text is a verifier key of that algorithm whose id fits */
export function parseVerifier(text: string, algorithm: number = ED25519): Verifier {
  const [, name, id, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/u.exec(text.trim()) ?? [];
  const bytes = fromBase64(encoded ?? '');
  if (name === undefined || bytes.length !== 33 || bytes[0] !== algorithm)
    throw new NoteError(`the public key is not NAME+ID+KEY with ${KEY_KINDS[algorithm] ?? 'a key'}`);
  const raw = bytes.subarray(1);
  const made = keyId(name, raw, algorithm);
  if (toHex(made) !== id) throw new NoteError('the public key has the id of another key');
  return { name, raw, id: made };
}

/**
 * The checkpoint of a signed note. Signatures by other keys are ignored, as C2SP requires.
 * @throws NoteError unless one of the keys signed it
 */
export function openCheckpoint(note: string, verifiers: readonly Verifier[]): TreeCheckpoint {
  if (signersOf(note, verifiers).length === 0)
    throw new NoteError(
      'the checkpoint has no signature by the public key; after a rotation another one signs (GET /audit/key)',
    );
  return readCheckpoint(note);
}

/** Which of the keys signed the note. @throws NoteError */
export function signersOf<Key extends Verifier>(note: string, verifiers: readonly Key[]): readonly Key[] {
  const { text, lines } = partsOf(note);
  return verifiers.filter((verifier) => lines.some((line) => isSignedBy(text, line, verifier)));
}

/** The checkpoint of a note, whoever signed it. @throws NoteError */
export const readCheckpoint = (note: string): TreeCheckpoint => parse(partsOf(note).text);

/** The signed text of a note and its signature lines. @throws NoteError */
export function partsOf(note: string): { readonly text: string; readonly lines: readonly string[] } {
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || !note.endsWith('\n')) throw new NoteError('the checkpoint is no signed note');
  return { text: note.slice(0, end + 1), lines: note.slice(end + 2, -1).split('\n') };
}

function isSignedBy(text: string, line: string, verifier: Verifier): boolean {
  const signature = signatureIn(line, verifier);
  return signature?.length === 64 && verifyEd25519(verifier.raw, utf8(text), signature);
}

/** The signature after the key's id in a line; null for a line by another key. */
export function signatureIn(line: string, { name, id }: Verifier): Uint8Array | null {
  const [, signed, encoded = ''] = SIGNATURE.exec(line) ?? [];
  const bytes = fromBase64(encoded);
  return signed === name && sameBytes(bytes.subarray(0, 4), id) ? bytes.subarray(4) : null;
}

function parse(text: string): TreeCheckpoint {
  const [origin = '', size = '', encoded = ''] = text.split('\n');
  const root = fromBase64(encoded);
  const isWhole = NAME.test(origin) && /^(0|[1-9]\d*)$/.test(size) && Number.isSafeInteger(Number(size));
  if (!isWhole || root.length !== 32 || toBase64(root) !== encoded)
    throw new NoteError('the checkpoint does not name a tree, its size and its root');
  return { origin, size: Number(size), root };
}

export const keyId = (name: string, raw: Uint8Array, algorithm: number = ED25519): Uint8Array =>
  sha256(joined(utf8(`${name}\n`), Uint8Array.of(algorithm), raw)).subarray(0, 4);

/** A note, or the key for it, is malformed or does not fit. */
export class NoteError extends Error {
  override readonly name = 'NoteError';
}
