import type { KeyObject } from 'node:crypto';
import { formatVerifier, signerOf, verifierOf, type Signer } from '#audit/checkpoint.js';
import { AUDIT_KEYS, auditKeyDecider } from '#domain/audit-key/index.js';
import type { SecretKey } from '#primitives/secrets/index.js';
import type { Application } from '#application/application.js';
import { systemContext } from '#log/context.js';

/** Plain data that a thread can be given. */
interface AuditKeys {
  /** Name of the log's tree, and of its keys. */
  readonly origin: string;
  /** The 32 secret bytes of the key that signs now. */
  readonly seed: Uint8Array;
  /** The public halves of all keys so far, the newest last. */
  readonly verifiers: readonly string[];
  /** Keys the salts of the tree's entries; hexadecimal digits. */
  readonly saltKey: string;
  /** Number of the log's tree; from 2 if it was restarted. */
  readonly tree: number;
  /** Whether the log records a signed checkpoint of this tree. */
  readonly isBegun: boolean;
}

/**
 * The keys of the log's audit tree. Creates and records them if there are none, or if another key signs now.
 * @param external the public half of a key that is elsewhere; null: the secret makes the key
 */
export async function auditKeys(
  application: Application,
  secret: SecretKey,
  external: KeyObject | null = null,
): Promise<AuditKeys> {
  const { logId } = await application.ports.eventStore.head();
  const { keys, tree, isBegun } = await application.load(auditKeyDecider, AUDIT_KEYS);
  const origin = originOf(logId, tree);
  const last = keys.at(-1);
  const saltKey = secret.mac('audit', `${origin}/salts`);
  const at = (number: number) => {
    const { seed, signer } = signerAt(secret, origin, number);
    return { seed, verifier: formatVerifier(external === null ? signer : verifierOf(origin, external)) };
  };
  const known = last && at(last.number);
  if (known && known.verifier === last.verifier)
    return { origin, seed: known.seed, verifiers: keys.map(({ verifier }) => verifier), saltKey, tree, isBegun };
  const number = (last?.number ?? 0) + 1;
  const { seed, verifier } = at(number);
  const { state } = await application.execute(
    auditKeyDecider,
    AUDIT_KEYS,
    { type: 'record-audit-key', verifier, number },
    systemContext('audit', null),
  );
  return { origin, seed, verifiers: state.keys.map((each) => each.verifier), saltKey, tree, isBegun };
}

/** Witnesses take a restarted tree for another log, so it has its own name. */
export const originOf = (logId: string | null, tree: number): string =>
  `anneal/${logId}${tree === 1 ? '' : `/${tree}`}`;

/** @param number how many keys were made for this log, with this one */
export function signerAt(
  secret: SecretKey,
  origin: string,
  number: number,
): { readonly seed: Buffer; readonly signer: Signer } {
  const seed = Buffer.from(secret.mac('audit', `${origin}/${number}`), 'hex');
  return { seed, signer: signerOf(origin, seed) };
}
