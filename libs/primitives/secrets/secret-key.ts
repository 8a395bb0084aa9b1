import { createHmac, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  unlinkSync,
  writeFileSync,
  openSync,
  fsyncSync,
  closeSync,
} from 'node:fs';
import { join } from 'node:path';
import { ownTurn } from '#primitives/turns/own-turn.js';

/** The purpose of a derived key. Keys for different purposes are independent. */
export type Purpose =
  | 'upload-signatures'
  | 'key-hashes'
  | 'sessions'
  | 'sealing'
  | 'content-hmac'
  | 'idempotency'
  | 'fingerprint'
  | 'webhooks'
  | 'audit'
  | 'log-seal'
  | 'content-keys'
  | 'settings'
  | 'backups';

/** Keys of an earlier secret, by purpose. They verify and open; nothing new is made with them. */
export type EarlierKeys = Readonly<Partial<Record<Purpose, Buffer>>>;

/** The one secret of an installation, from which separate keys are derived (HKDF-SHA256, RFC 5869). */
export class SecretKey {
  private readonly derived = new Map<Purpose, Buffer>();
  private readonly macsByPurpose = new Map<Purpose, readonly ((text: string) => string)[]>();

  /**
   * @param material at least 32 bytes that nobody can guess
   * @param previous the secret before this one, while both are given
   * @param earlier the keys of those before that were kept
   */
  constructor(
    private readonly material: Uint8Array,
    readonly previous: SecretKey | null = null,
    private readonly earlier: readonly EarlierKeys[] = [],
  ) {
    if (material.length < 32) throw new RangeError('a secret key has at least 32 bytes');
  }

  /** The same secret, which also accepts these for verifying and opening. */
  accepting(previous: SecretKey | null, earlier: readonly EarlierKeys[] = []): SecretKey {
    return new SecretKey(this.material, previous, earlier);
  }

  /** 32 bytes, always the same for the same secret and purpose. */
  derive(purpose: Purpose): Buffer {
    let key = this.derived.get(purpose);
    if (!key) {
      key = Buffer.from(hkdfSync('sha256', this.material, 'anneal', `anneal/${purpose}/v1`, 32));
      this.derived.set(purpose, key);
    }
    return key;
  }

  /** The key of a purpose, then those of earlier secrets. */
  keys(purpose: Purpose): readonly Buffer[] {
    const earlier = this.earlier.flatMap((keys) => keys[purpose] ?? []);
    return [this.derive(purpose), ...(this.previous ? [this.previous.derive(purpose)] : []), ...earlier];
  }

  /** HMAC-SHA256 of a text, in hexadecimal digits. */
  mac(purpose: Purpose, text: string): string {
    return this.macsOf(purpose)[0]!(text);
  }

  /** The HMACs that the text may have been stored under: this secret's, then those of earlier ones. */
  macs(purpose: Purpose, text: string): readonly string[] {
    return this.macsOf(purpose).map((mac) => mac(text));
  }

  private macsOf(purpose: Purpose): readonly ((text: string) => string)[] {
    let macs = this.macsByPurpose.get(purpose);
    if (!macs) this.macsByPurpose.set(purpose, (macs = this.keys(purpose).map(hmacSha256)));
    return macs;
  }

  /** The same of a long text in UTF-8, one piece in each turn of the event loop. */
  async macInTurns(purpose: Purpose, pieces: readonly Uint8Array[]): Promise<string> {
    const mac = createHmac('sha256', this.derive(purpose));
    for (const piece of pieces) {
      mac.update(piece);
      await ownTurn();
    }
    return mac.digest('hex');
  }

  /** 16 hexadecimal digits that distinguish this secret from others, and reveal nothing else about it. */
  get fingerprint(): string {
    return this.mac('fingerprint', 'anneal').slice(0, 16);
  }

  /** Keeps the key out of logs. */
  toJSON(): string {
    return '[secret]';
  }
}

/**
 * HMAC-SHA256 of texts under one key. The key object is created once: with bytes, each text would take five times as
 * long.
 */
function hmacSha256(bytes: Uint8Array): (text: string) => string {
  const key = createSecretKey(bytes);
  return (text) => createHmac('sha256', key).update(text).digest('hex');
}

export const SECRET_FILE = 'secret.key';
/** Holds the secret before, while a folder goes over to another one. */
export const PREVIOUS_SECRET_FILE = 'secret.key.previous';
const FILE_TEXT = /^[0-9a-f]{64}$/;

/** The text of a secret, and who gave it. */
export interface GivenSecret {
  readonly text: string;
  readonly from: 'ANNEAL_SECRET_KEY' | 'ANNEAL_SECRET_KEY_PREVIOUS' | typeof SECRET_FILE | typeof PREVIOUS_SECRET_FILE;
}

/** The secret encoded by a text, the same wherever it was given: 64 lower-case hexadecimal digits are 32 bytes. */
export const decodeSecret = (text: string): SecretKey =>
  new SecretKey(Buffer.from(text.trim(), FILE_TEXT.test(text.trim()) ? 'hex' : 'utf8'));

/** The setting's text, else that of `secret.key` in the data folder; null if neither exists. */
export function givenSecret(dataDir: string, setting: string | null): GivenSecret | null {
  if (setting !== null) return { text: setting.trim(), from: 'ANNEAL_SECRET_KEY' };
  const text = secretFile(dataDir);
  return text === null ? null : { text, from: SECRET_FILE };
}

/** As `givenSecret`, of the secret before: the setting's text, else that of `secret.key.previous`. */
export function previousSecret(dataDir: string, setting: string | null): GivenSecret | null {
  if (setting !== null) return { text: setting.trim(), from: 'ANNEAL_SECRET_KEY_PREVIOUS' };
  const text = secretFile(dataDir, PREVIOUS_SECRET_FILE);
  return text === null ? null : { text, from: PREVIOUS_SECRET_FILE };
}

/**
 * The text of `secret.key`, null if there is none.
 * @throws SecretFileError when it is damaged
 */
export function secretFile(dataDir: string, file: string = SECRET_FILE): string | null {
  const text = readIfThere(join(dataDir, file))?.trim() ?? null;
  if (text !== null && !FILE_TEXT.test(text)) throw new SecretFileError(join(dataDir, file));
  return text;
}

/** Creates `secret.key` (mode 0600), unless it exists. */
export function makeSecret(dataDir: string): GivenSecret {
  make(dataDir, join(dataDir, SECRET_FILE));
  return { text: secretFile(dataDir)!, from: SECRET_FILE };
}

export class SecretFileError extends Error {
  override readonly name = 'SecretFileError';
  constructor(path: string) {
    super(`${path} is damaged: it should hold 64 lower-case hexadecimal digits; ` + 'restore it from a backup');
  }
}

/**
 * Written completely under another name, then linked: of two processes that start at once, one creates it and both use
 * it.
 */
function make(dataDir: string, path: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const file = openSync(temporary, 'wx', 0o600);
  try {
    writeFileSync(file, `${randomBytes(32).toString('hex')}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  chmodSync(temporary, 0o600);
  try {
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(temporary);
  }
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
