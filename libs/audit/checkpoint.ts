import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import { ED25519, keyId, NAME, NoteError, type TreeCheckpoint, type Verifier } from './note.js';

export * from './note.js';

export interface Signer extends Verifier {
  readonly privateKey: KeyObject;
}

const PKCS8_OF_SEED = Buffer.from('302e020100300506032b657004220420', 'hex');

/** @param seed the 32 bytes of an Ed25519 private key (RFC 8032) */
export function signerOf(name: string, seed: Uint8Array, algorithm = ED25519): Signer {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_OF_SEED, seed]), format: 'der', type: 'pkcs8' });
  const raw = rawOf(createPublicKey(privateKey));
  return { name, raw, id: keyId(name, raw, algorithm), privateKey };
}

/** `NAME+ID+KEY`, the format of other programs. */
export const formatVerifier = ({ name, id, raw }: Verifier, algorithm: number = ED25519): string =>
  `${name}+${Buffer.from(id).toString('hex')}+${Buffer.concat([Buffer.of(algorithm), raw]).toString('base64')}`;

export function verifierOf(name: string, key: KeyObject): Verifier {
  const raw = rawOf(key);
  return { name, raw, id: keyId(name, raw) };
}

/** The 32 bytes of an Ed25519 public key. */
const rawOf = (key: KeyObject): Buffer => Buffer.from(key.export({ format: 'jwk' }).x!, 'base64url');

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
