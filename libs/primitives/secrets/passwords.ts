import { hash, verify } from '@node-rs/argon2';

/** Characters of a new password, regardless of who sets it. */
export const PASSWORD_CHARACTERS = { min: 10, max: 200 } as const;

/** OWASP Password Storage Cheat Sheet: Argon2id with 19 MiB, 2 passes, 1 lane (the package's default algorithm is Argon2id). */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Verified if there is no such user, so that an unknown address takes as long as a wrong password. */
let nobody: Promise<string> | undefined;

/** The stored form of a password (PHC string). Hashing runs on libuv's pool, not on the event loop. */
export const hashPassword = (password: string): Promise<string> => hash(password, COST);

/** @param verifier from `hashPassword`; null if there is none: the result is then false, after the same work */
export async function verifyPassword(verifier: string | null, password: string): Promise<boolean> {
  nobody ??= hashPassword('nobody has this password');
  const matches = await verify(verifier ?? (await nobody), password).catch(() => false);
  return verifier !== null && matches;
}
