import { createPublicKey, hash } from 'node:crypto';
import { createRequire } from 'node:module';
import type * as Nist from '@noble/curves/nist.js';
import type { StoredFile } from '#domain/training-job/index.js';

/** Loaded for the first key: its tables take memory. */
const require = createRequire(import.meta.url);
const curve = () => (require('@noble/curves/nist.js') as typeof Nist).p256;

/** Name of the signature, which is stored beside the signed files. */
export const SIGNATURE_FILE = 'model.sig';

/** A key on NIST P-256, the one curve that programs of model-signing and Node share. */
export interface ModelKey {
  /** 32 bytes. */
  readonly secret: Uint8Array;
  /** PEM of a SubjectPublicKeyInfo. */
  readonly publicKey: string;
}

/** @param seed at least 48 bytes, so that every key is as likely as any other (FIPS 186-5, A.2.1) */
export function modelKeyOf(seed: Uint8Array): ModelKey {
  const p256 = curve();
  const secret = p256.utils.randomSecretKey(seed.subarray(0, p256.lengths.seed));
  const point = Buffer.from(p256.getPublicKey(secret, false));
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((each) => each.toString('base64url'));
  const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x!, y: y! }, format: 'jwk' });
  return { secret, publicKey: key.export({ type: 'spki', format: 'pem' }) as string };
}

const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

/**
 * The signature of a model's files, as OpenSSF model-signing 1.0 writes it: a Sigstore bundle around a DSSE envelope around an
 * in-toto statement. ECDSA is deterministic here (RFC 6979), so that the same files and key give the same bytes.
 */
export function signatureOf(
  modelName: string,
  files: readonly Pick<StoredFile, 'name' | 'sha256'>[],
  { secret, publicKey }: ModelKey,
): string {
  const resources = files
    .map(({ name, sha256 }) => ({ name, algorithm: 'sha256', digest: sha256 }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const root = hash('sha256', Buffer.from(resources.map(({ digest }) => digest).join(''), 'hex'));
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: modelName, digest: { sha256: root } }],
    predicateType: 'https://model_signing/signature/v1.0',
    predicate: {
      serialization: { method: 'files', hash_type: 'sha256', allow_symlinks: false, ignore_paths: [SIGNATURE_FILE] },
      resources,
    },
  };
  const payload = Buffer.from(JSON.stringify(statement));
  const signed = Buffer.concat([
    Buffer.from(`DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `),
    payload,
  ]);
  const signature = curve().sign(signed, secret, { format: 'der' });
  return JSON.stringify({
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: { publicKey: { hint: hash('sha256', publicKey) }, tlogEntries: [] },
    dsseEnvelope: {
      payload: payload.toString('base64'),
      payloadType: PAYLOAD_TYPE,
      signatures: [{ sig: Buffer.from(signature).toString('base64'), keyid: '' }],
    },
  });
}
