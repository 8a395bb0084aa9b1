import { createPrivateKey, createPublicKey, hash, sign, verify, type KeyObject } from 'node:crypto';
import type { TreeHead } from './tree/proofs.js';

/** The head of a tree, under the tree's name (C2SP tlog-checkpoint). */
export interface TreeCheckpoint extends TreeHead {
  readonly origin: string;
}

/** A public key that checks signed notes (C2SP signed-note): a verifier key. */
export interface Verifier {
  readonly name: string;
  readonly key: KeyObject;
  /** First 4 bytes of a hash over name and key, which a signature begins with. */
  readonly id: Buffer;
}

export interface Signer extends Verifier {
  readonly privateKey: KeyObject;
}

/** C2SP's number of Ed25519 signatures. */
const ED25519 = 1;
/** C2SP's number of timestamped Ed25519 signatures: those of witnesses (tlog-cosignature). */
export const COSIGNATURE = 4;
const PKCS8_OF_SEED = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_OF_KEY = Buffer.from('302a300506032b6570032100', 'hex');
const KEY_KINDS: Readonly<Record<number, string>> = {
  [ED25519]: 'an Ed25519 key',
  [COSIGNATURE]: "a witness's key (timestamped Ed25519)",
};
const NAME = /^[^\s+]+$/u;
const SIGNATURE = /^— (\S+) ([A-Za-z0-9+/]+=*)$/u;

/** @param seed the 32 bytes of an Ed25519 private key (RFC 8032) */
export function signerOf(name: string, seed: Uint8Array, algorithm = ED25519): Signer {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_OF_SEED, seed]), format: 'der', type: 'pkcs8' });
  const key = createPublicKey(privateKey);
  return { name, key, id: keyId(name, rawOf(key), algorithm), privateKey };
}

/** `NAME+ID+KEY`, the format of other programs. */
export const formatVerifier = ({ name, id, key }: Verifier, algorithm = ED25519): string =>
  `${name}+${id.toString('hex')}+${Buffer.concat([Buffer.of(algorithm), rawOf(key)]).toString('base64')}`;

/** @throws NoteError unless the text is a verifier key of that algorithm whose id fits */
export function parseVerifier(text: string, algorithm: number = ED25519): Verifier {
  const [, name, id, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/u.exec(text.trim()) ?? [];
  const bytes = Buffer.from(encoded ?? '', 'base64');
  if (name === undefined || bytes.length !== 33 || bytes[0] !== algorithm)
    throw new NoteError(`the public key is not NAME+ID+KEY with ${KEY_KINDS[algorithm] ?? 'a key'}`);
  const raw = bytes.subarray(1);
  if (keyId(name, raw, algorithm).toString('hex') !== id)
    throw new NoteError('the public key has the id of another key');
  const key = createPublicKey({ key: Buffer.concat([SPKI_OF_KEY, raw]), format: 'der', type: 'spki' });
  return { name, key, id: keyId(name, raw, algorithm) };
}

export const verifierOf = (name: string, key: KeyObject): Verifier => ({ name, key, id: keyId(name, rawOf(key)) });

/** The signed note: the text, an empty line, and a line for each signature. */
export function signCheckpoint(checkpoint: TreeCheckpoint, signer: Signer): string {
  const text = textOf(checkpoint);
  return noteOf(text, signer, sign(null, Buffer.from(text), signer.privateKey));
}

/** What is signed of a checkpoint. */
export function textOf({ origin, size, root }: TreeCheckpoint): string {
  if (!NAME.test(origin)) throw new NoteError('the name of a tree has no space and no plus');
  return `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`;
}

export const noteOf = (text: string, { name, id }: Verifier, signature: Uint8Array): string =>
  `${text}\n— ${name} ${Buffer.concat([id, signature]).toString('base64')}\n`;

/**
 * The checkpoint of a signed note. Signatures by other keys are ignored, as C2SP requires.
 * @throws NoteError unless one of the keys signed it
 */
export function openCheckpoint(note: string, verifiers: readonly Verifier[]): TreeCheckpoint {
  if (signersOf(note, verifiers).length === 0) throw new NoteError('the checkpoint has no signature by the public key');
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
  return signature?.length === 64 && verify(null, Buffer.from(text), verifier.key, signature);
}

/** The signature after the key's id in a line; null for a line by another key. */
export function signatureIn(line: string, { name, id }: Verifier): Buffer | null {
  const [, signed, encoded = ''] = SIGNATURE.exec(line) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  return signed === name && bytes.subarray(0, 4).equals(id) ? bytes.subarray(4) : null;
}

function parse(text: string): TreeCheckpoint {
  const [origin = '', size = '', encoded = ''] = text.split('\n');
  const root = Buffer.from(encoded, 'base64');
  const isWhole = NAME.test(origin) && /^(0|[1-9]\d*)$/.test(size) && Number.isSafeInteger(Number(size));
  if (!isWhole || root.length !== 32 || root.toString('base64') !== encoded)
    throw new NoteError('the checkpoint does not name a tree, its size and its root');
  return { origin, size: Number(size), root };
}

const rawOf = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'spki' }).subarray(SPKI_OF_KEY.length);

const keyId = (name: string, raw: Uint8Array, algorithm = ED25519): Buffer =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(algorithm), raw]), 'buffer').subarray(0, 4);

/** A note, or the key for it, is malformed or does not fit. */
export class NoteError extends Error {
  override readonly name = 'NoteError';
}
