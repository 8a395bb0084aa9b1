import { createPrivateKey, createPublicKey, hash, sign, verify, type KeyObject } from 'node:crypto';
import type { Head } from './tree/proofs.js';

/** The head of a tree, under the tree's name (C2SP tlog-checkpoint). */
export interface Checkpoint extends Head {
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
const PKCS8_OF_SEED = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_OF_KEY = Buffer.from('302a300506032b6570032100', 'hex');
const NAME = /^[^\s+]+$/u;
const SIGNATURE = /^— (\S+) ([A-Za-z0-9+/]+=*)$/u;

/** @param seed the 32 bytes of an Ed25519 private key (RFC 8032) */
export function signerOf(name: string, seed: Uint8Array): Signer {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_OF_SEED, seed]), format: 'der', type: 'pkcs8' });
  const key = createPublicKey(privateKey);
  return { name, key, id: keyId(name, rawOf(key)), privateKey };
}

/** `NAME+ID+KEY`, as programs of others take it. */
export const formatVerifier = ({ name, id, key }: Verifier): string =>
  `${name}+${id.toString('hex')}+${Buffer.concat([Buffer.of(ED25519), rawOf(key)]).toString('base64')}`;

/** @throws NoteError unless the text is an Ed25519 verifier key whose id fits */
export function parseVerifier(text: string): Verifier {
  const [, name, id, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/u.exec(text.trim()) ?? [];
  const bytes = Buffer.from(encoded ?? '', 'base64');
  if (name === undefined || bytes.length !== 33 || bytes[0] !== ED25519)
    throw new NoteError('the public key is not NAME+ID+KEY with an Ed25519 key');
  const raw = bytes.subarray(1);
  if (keyId(name, raw).toString('hex') !== id) throw new NoteError('the public key has the id of another key');
  const key = createPublicKey({ key: Buffer.concat([SPKI_OF_KEY, raw]), format: 'der', type: 'spki' });
  return { name, key, id: keyId(name, raw) };
}

/** The signed note: the text, an empty line, and a line for each signature. */
export function signCheckpoint({ origin, size, root }: Checkpoint, signer: Signer): string {
  if (!NAME.test(origin)) throw new NoteError('the name of a tree has no space and no plus');
  const text = `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`;
  const signature = sign(null, Buffer.from(text), signer.privateKey);
  return `${text}\n— ${signer.name} ${Buffer.concat([signer.id, signature]).toString('base64')}\n`;
}

/**
 * The checkpoint of a signed note. Signatures by keys that are not given are ignored, as C2SP asks.
 * @throws NoteError unless one of the keys signed it
 */
export function openCheckpoint(note: string, verifiers: readonly Verifier[]): Checkpoint {
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || !note.endsWith('\n')) throw new NoteError('the checkpoint is no signed note');
  const text = note.slice(0, end + 1);
  const lines = note.slice(end + 2, -1).split('\n');
  if (!lines.some((line) => verifiers.some((verifier) => isSignedBy(text, line, verifier))))
    throw new NoteError('the checkpoint has no signature by the public key');
  return parse(text);
}

function isSignedBy(text: string, line: string, { name, id, key }: Verifier): boolean {
  const [, signed, encoded = ''] = SIGNATURE.exec(line) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  if (signed !== name || bytes.length !== 68 || !bytes.subarray(0, 4).equals(id)) return false;
  return verify(null, Buffer.from(text), key, bytes.subarray(4));
}

function parse(text: string): Checkpoint {
  const [origin = '', size = '', encoded = ''] = text.split('\n');
  const root = Buffer.from(encoded, 'base64');
  const isWhole = NAME.test(origin) && /^(0|[1-9]\d*)$/.test(size) && Number.isSafeInteger(Number(size));
  if (!isWhole || root.length !== 32 || root.toString('base64') !== encoded)
    throw new NoteError('the checkpoint does not name a tree, its size and its root');
  return { origin, size: Number(size), root };
}

const rawOf = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'spki' }).subarray(SPKI_OF_KEY.length);

const keyId = (name: string, raw: Uint8Array): Buffer =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(ED25519), raw]), 'buffer').subarray(0, 4);

/** A note, or the key for it, is malformed or does not fit. */
export class NoteError extends Error {
  override readonly name = 'NoteError';
}
