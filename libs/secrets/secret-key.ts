import { hkdfSync, randomBytes } from 'node:crypto';
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
import { hmacSha256 } from './hmac.js';

/** What each derived key is for. A key made for one purpose says nothing about another. */
export type Purpose = 'upload-signatures' | 'key-hashes' | 'sessions' | 'sealing' | 'content-hmac' | 'idempotency';

/** The one secret of an installation, from which separate keys are derived (HKDF-SHA256, RFC 5869). */
export class SecretKey {
  private readonly derived = new Map<Purpose, Buffer>();
  private readonly macs = new Map<Purpose, (text: string) => string>();

  /** @param material at least 32 bytes that nobody can guess */
  constructor(private readonly material: Uint8Array) {
    if (material.length < 32) throw new RangeError('a secret key has at least 32 bytes');
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

  /** HMAC-SHA256 of a text, in hexadecimal digits. */
  mac(purpose: Purpose, text: string): string {
    let mac = this.macs.get(purpose);
    if (!mac) this.macs.set(purpose, (mac = hmacSha256(this.derive(purpose))));
    return mac(text);
  }

  /** So that no log line shows it by accident. */
  toJSON(): string {
    return '[secret]';
  }
}

const FILE = 'secret.key';

/**
 * The installation's secret: the given text, else that of `secret.key` in the data folder, which is made (mode 0600) when
 * there is none.
 * @throws Error when the file is damaged or cannot be read or made
 */
export function openSecretKey(dataDir: string, given: string | null): SecretKey {
  if (given !== null) return new SecretKey(Buffer.from(given, 'utf8'));
  const path = join(dataDir, FILE);
  const text = readIfThere(path) ?? make(dataDir, path);
  if (!/^[0-9a-f]{64}\s*$/.test(text))
    throw new Error(`${path} is damaged: it should hold 64 hexadecimal digits; restore it from a backup`);
  return new SecretKey(Buffer.from(text.trim(), 'hex'));
}

/** Written whole under another name, then linked: of two processes that start at once, one makes it and both use it. */
function make(dataDir: string, path: string): string {
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
  return readFileSync(path, 'utf8');
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
