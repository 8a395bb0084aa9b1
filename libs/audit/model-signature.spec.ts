import { createPublicKey, hash, verify } from 'node:crypto';
import { modelKeyOf, signatureOf } from './model-signature.js';

const key = modelKeyOf(Buffer.alloc(64, 7));
const files = ['b.bin', 'a/c.bin'].map((name) => ({ name, sha256: hash('sha256', name) }));

describe('the signature of a model', () => {
  it('is verified by the public key, and names the model and each file with its hash', () => {
    const { dsseEnvelope, verificationMaterial } = JSON.parse(signatureOf('trips', files, key));
    const payload = Buffer.from(dsseEnvelope.payload, 'base64');
    const signed = Buffer.concat([Buffer.from(`DSSEv1 28 ${dsseEnvelope.payloadType} ${payload.length} `), payload]);
    const signature = Buffer.from(dsseEnvelope.signatures[0].sig, 'base64');
    expect(verify('sha256', signed, createPublicKey(key.publicKey), signature)).toBe(true);
    expect(verificationMaterial.publicKey.hint).toBe(hash('sha256', key.publicKey));
    const statement = JSON.parse(payload.toString());
    expect(statement.subject[0].name).toBe('trips');
    expect(
      statement.predicate.resources.map(({ name, digest }: { name: string; digest: string }) => [name, digest]),
    ).toEqual([
      ['a/c.bin', hash('sha256', 'a/c.bin')],
      ['b.bin', hash('sha256', 'b.bin')],
    ]);
  });

  it('is the same for the same files and key, in any order of files', () => {
    expect(signatureOf('trips', files.toReversed(), key)).toBe(
      signatureOf('trips', files, modelKeyOf(Buffer.alloc(64, 7))),
    );
    expect(signatureOf('trips', files, modelKeyOf(Buffer.alloc(64, 8)))).not.toBe(signatureOf('trips', files, key));
  });
});
