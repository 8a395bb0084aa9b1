import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { eventually } from '#test/support/eventually.js';

/** The place in which a text was found. */
export interface Found {
  /** Below the folder that was searched. */
  readonly file: string;
  readonly text: string;
  /** The text's encoding there. */
  readonly as: string;
}

/**
 * Looks for texts in all files below a folder: in their bytes, in what compressed ones hold, and in the values of SQLite databases
 * (a long value is cut into pages in the file; what the write-ahead log holds counts). Each text is looked for as UTF-8, UTF-16,
 * base64 at each of its three offsets, hexadecimal, and escaped for JSON and for URLs.
 */
export async function search(directory: string, texts: readonly string[]): Promise<readonly Found[]> {
  const forms = texts.flatMap((text) => formsOf(text));
  const found: Found[] = [];
  const byStart = Map.groupBy(forms, ({ bytes }) => bytes.readUInt32BE());
  const look = (file: string, bytes: Uint8Array, where = '') => {
    for (const { text, as } of formsIn(bytes, byStart)) found.push({ file, text, as: as + where });
  };
  for (const path of await filesBelow(directory)) {
    const file = relative(directory, path);
    const bytes = await readFile(path).catch(nullWhenMissing);
    if (bytes === null) continue;
    look(file, Buffer.from(file));
    look(file, bytes);
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) look(file, unzipped(bytes), ', compressed');
  }
  // A system that runs may remove a file between two looks at it.
  const databases = await eventually(() => valuesInCopies(directory));
  for (const [file, values] of databases) look(file, Buffer.from(values), ', in a database');
  return found;
}

interface Form {
  readonly text: string;
  readonly as: string;
  readonly bytes: Buffer;
}

function formsOf(text: string): readonly Form[] {
  const utf8 = Buffer.from(text);
  const escaped = JSON.stringify(text).slice(1, -1);
  const ascii = escaped.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const form = (as: string, bytes: Buffer | string): Form => ({ text, as, bytes: Buffer.from(bytes as string) });
  const forms = [
    form('UTF-8', utf8),
    form('UTF-16', Buffer.from(text, 'utf16le')),
    form('hexadecimal', utf8.toString('hex')),
    form('JSON', escaped),
    form('ASCII JSON', ascii),
    form('a URL', encodeURIComponent(text)),
    ...[0, 1, 2].flatMap((offset) => [
      form('base64', inBase64(utf8, offset, 'base64')),
      form('base64url', inBase64(utf8, offset, 'base64url')),
    ]),
  ];
  // Plain letters are the same in several.
  return forms.filter(({ bytes }, index) => forms.findIndex((other) => other.bytes.equals(bytes)) === index);
}

/**
 * The part of a text's base64 that does not depend on neighbouring bytes.
 * @param offset number of preceding bytes in a group of three
 */
function inBase64(bytes: Buffer, offset: number, encoding: 'base64' | 'base64url'): string {
  const whole = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString(encoding)
    .replace(/=+$/, '');
  const after = (offset + bytes.length) % 3;
  return whole.slice(offset === 0 ? 0 : offset + 1, after === 0 ? undefined : -1);
}

/** Reads the bytes once, however many forms there are. @param byStart the forms by their first four bytes */
function formsIn(bytes: Uint8Array, byStart: ReadonlyMap<number, readonly Form[]>): ReadonlySet<Form> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = new Set<Form>();
  let start = 0;
  for (let at = 0; at < buffer.length; at += 1) {
    start = ((start << 8) | buffer[at]!) >>> 0;
    for (const form of byStart.get(start) ?? []) {
      const there = buffer.subarray(Math.max(at - 3, 0), at - 3 + form.bytes.length);
      if (there.equals(form.bytes)) found.add(form);
    }
  }
  return found;
}

async function filesBelow(directory: string): Promise<readonly string[]> {
  const entries = await eventually(() => readdir(directory, { recursive: true, withFileTypes: true }));
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** For a file that a running system has removed meanwhile. */
function nullWhenMissing(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw error;
}

function unzipped(bytes: Buffer): Uint8Array {
  try {
    return gunzipSync(bytes);
  } catch {
    return new Uint8Array();
  }
}

/** Databases are opened as copies: opening one takes in its write-ahead log, and would change what is searched. */
async function valuesInCopies(directory: string): Promise<ReadonlyMap<string, string>> {
  const copy = await mkdtemp(join(tmpdir(), 'anneal-search-'));
  const found = new Map<string, string>();
  try {
    await cp(directory, copy, { recursive: true, filter: (path) => !/\.(sock|safetensors)$/.test(path) });
    // Opening one changes the files beside it.
    for (const path of await filesBelow(copy))
      if (!/-(wal|shm)$/.test(path) && (await readFile(path)).subarray(0, 15).toString() === 'SQLite format 3')
        found.set(relative(copy, path), valuesOf(path));
    return found;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

function valuesOf(path: string): string {
  // The ids of a word index are larger than a number holds exactly.
  const database = new DatabaseSync(path, { readBigInts: true });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    return tables
      .flatMap(({ name }) =>
        database
          .prepare(`SELECT * FROM "${String(name)}"`)
          .all()
          .map(asText),
      )
      .join('\n');
  } finally {
    database.close();
  }
}

const asText = (row: Record<string, unknown>): string =>
  Object.values(row)
    .map((value) =>
      value instanceof Uint8Array
        ? `${Buffer.from(value).toString('utf8')} ${Buffer.from(value).toString('hex')}`
        : String(value),
    )
    .join(' ');
