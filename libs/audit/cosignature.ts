import { sign } from 'node:crypto';
import { partsOf, type Signer } from './checkpoint.js';
import { cosigned, STAMP_BYTES } from './cosigned.js';

export { cosignedAt, requireCosigned } from './cosigned.js';

/** A witness's statement that it saw this checkpoint as the newest of its log (C2SP tlog-cosignature). */
export function cosignatureLine(note: string, witness: Signer, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1_000);
  const stamp = Buffer.alloc(STAMP_BYTES);
  stamp.writeBigUInt64BE(BigInt(seconds));
  const signature = sign(null, cosigned(partsOf(note).text, BigInt(seconds)), witness.privateKey);
  return `— ${witness.name} ${Buffer.concat([witness.id, stamp, signature]).toString('base64')}`;
}
