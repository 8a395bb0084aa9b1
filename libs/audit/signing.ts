import { spawn } from 'node:child_process';
import { createPublicKey, sign, type KeyObject } from 'node:crypto';
import { noteOf, textOf, type Signer, type TreeCheckpoint, type Verifier } from './checkpoint.js';
import { verifyEd25519 } from './primitives.js';

/** A command that holds the private key, as plain data. */
export interface SigningCommand {
  /** Run by the shell: the bytes to sign are its standard input, the 64 bytes of the Ed25519 signature its output. */
  readonly command: string;
  /** In PEM. */
  readonly publicKey: string;
}

/** Signs the notes of a log, here or by a command. */
export type LogSigner = Signer | (Verifier & Pick<SigningCommand, 'command'>);

const TIMEOUT_MS = 30_000;
const SIGNATURE_BYTES = 64;
const MAX_COMPLAINT = 500;

/** @throws RangeError unless the text is a public Ed25519 key */
export function publicKeyOf(pem: string): KeyObject {
  const key = keyOf(pem);
  if (key?.asymmetricKeyType !== 'ed25519') throw new RangeError('it is no Ed25519 public key in PEM');
  return key;
}

/** @throws SigningFailedError when the command gives no signature by its key */
export async function signedNote(checkpoint: TreeCheckpoint, signer: LogSigner): Promise<string> {
  const text = textOf(checkpoint);
  const signature =
    'command' in signer ? await byCommand(text, signer) : sign(null, Buffer.from(text), signer.privateKey);
  return noteOf(text, signer, signature);
}

async function byCommand(text: string, { command, raw }: Verifier & Pick<SigningCommand, 'command'>): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  const child = spawn('/bin/sh', ['-c', command], { timeout: TIMEOUT_MS, killSignal: 'SIGKILL' });
  const output: Buffer[] = [];
  let complaint = '';
  child.stdout.on('data', (piece: Buffer) => output.push(piece));
  child.stderr.on('data', (piece: Buffer) => (complaint = (complaint + piece.toString()).slice(-MAX_COMPLAINT)));
  // A command that does not read its input is told by its exit status.
  child.stdin.on('error', () => undefined);
  child.on('error', reject).on('close', resolve);
  child.stdin.end(text);
  const status = await promise.catch((error: Error) => {
    throw new SigningFailedError(`it cannot be run: ${error.message}`);
  });
  if (status !== 0)
    throw new SigningFailedError(
      `it ended with ${status ?? `no status within ${TIMEOUT_MS / 1_000} s`}: ${complaint.trim()}`,
    );
  const signature = Buffer.concat(output);
  if (signature.length !== SIGNATURE_BYTES)
    throw new SigningFailedError(`it gave ${signature.length} bytes, and a signature has ${SIGNATURE_BYTES}`);
  if (!verifyEd25519(raw, Buffer.from(text), signature))
    throw new SigningFailedError('it signed with another key than ANNEAL_AUDIT_SIGNING_KEY');
  return signature;
}

function keyOf(pem: string): KeyObject | null {
  try {
    return createPublicKey(pem);
  } catch {
    return null;
  }
}

export class SigningFailedError extends Error {
  override readonly name = 'SigningFailedError';
  constructor(what: string) {
    super(`ANNEAL_AUDIT_SIGNING_COMMAND does not sign: ${what}`);
  }
}
