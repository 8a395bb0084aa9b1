import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { JsonObject } from '#domain/json.js';
import { Packer, Unpacker, uuidBytes, uuidText } from '#primitives/packing/index.js';
import type { Scalar } from '../port.js';
import { KeptTexts, TEXTS_SQL } from './kept-texts.js';
import { fieldValue } from './sql.js';

/** Digits of positions that are kept as numbers: of the log on SQLite. */
const WIDTH = 16;
const DIGITS = new RegExp(`^\\d{${WIDTH}}$`);

/** Texts of shared fields, and shapes of documents, are kept at once: there are few. */
const COUNTED = { times: 1, oneOf: 1 };

/**
 * How a file stores documents: as JSON, or packed, with each text of the shared fields kept once (`Collection.shared`). What cannot
 * be packed is JSON among packed ones. In columns, a shared field is the id of its text. A UUID as a document's id is its bytes, which
 * sort as it does, after ids that are none.
 */
export class Codec {
  readonly shared: ReadonlySet<string>;
  private readonly texts: KeptTexts | null;
  private unpacker = this.newUnpacker();
  private packer: Packer | null = null;

  constructor(database: DatabaseSync) {
    this.shared = sharedIn(database);
    this.texts = this.shared.size === 0 ? null : new KeptTexts(database);
    if (this.texts) database.function('as_json', { deterministic: true }, (doc) => this.json(doc as StoredDocument));
  }

  /** As part of the transaction that is open. The bytes are those until the next document. */
  encode(document: JsonObject): string | Uint8Array {
    const { texts } = this;
    if (!texts) return JSON.stringify(document);
    this.packer ??= this.newPacker(texts);
    const packed = this.packer.pack([document]);
    const wanted = this.packer.takeWanted();
    if (wanted.length === 0) return packed?.bytes ?? JSON.stringify(document);
    this.packer.learn(
      wanted,
      wanted.map((text) => texts.keep(text)),
    );
    return this.packer.pack([document])?.bytes ?? JSON.stringify(document);
  }

  /** The key of a document's id. */
  key(id: string): string | Uint8Array {
    return this.texts ? (uuidBytes(id) ?? id) : id;
  }

  idOf(key: string | Uint8Array): string {
    return typeof key === 'string' ? key : uuidText(key);
  }

  /** The column of a position; those of one log have one form. */
  position(position: string): string | number {
    return this.texts && DIGITS.test(position) && Number.isSafeInteger(Number(position)) ? Number(position) : position;
  }

  positionOf(column: string | number): string {
    return typeof column === 'string' ? column : String(column).padStart(WIDTH, '0');
  }

  decode(doc: unknown): JsonObject {
    if (typeof doc === 'string') return JSON.parse(doc) as JsonObject;
    return this.unpacker.unpack(doc as Uint8Array)[0] as JsonObject;
  }

  /** The column of a field, as part of the transaction that is open. */
  column(isShared: boolean, value: Scalar): SQLInputValue {
    return isShared && typeof value === 'string' ? this.texts!.keep(value) : fieldValue(value);
  }

  /** The column that documents with this value of a field have; null if there are none. */
  columnOf(field: string, value: string | number): string | number | null {
    return this.texts && this.shared.has(field) ? this.texts.id(String(value)) : value;
  }

  /** The value of a shared field's column. */
  shown(column: unknown): string | null {
    return column === null ? null : this.texts!.text(column as number);
  }

  /** A transaction was rolled back, with the texts that it kept. */
  forget(): void {
    this.texts?.forget();
    this.unpacker = this.newUnpacker();
    this.packer = null;
  }

  private json(doc: StoredDocument): string {
    return typeof doc === 'string' ? doc : JSON.stringify(this.decode(doc));
  }

  private newUnpacker(): Unpacker {
    return new Unpacker((id) => this.texts?.text(id) ?? null);
  }

  private newPacker(texts: KeptTexts): Packer {
    const packer = new Packer(COUNTED, this.shared);
    const all = texts.all();
    packer.learn([...all.keys()], [...all.values()]);
    return packer;
  }
}

type StoredDocument = string | Uint8Array;

/** Makes an empty file one with these shared fields. */
export function share(database: DatabaseSync, fields: readonly string[]): void {
  database.exec(`CREATE TABLE shared (field TEXT PRIMARY KEY) WITHOUT ROWID; ${TEXTS_SQL}`);
  const insert = database.prepare('INSERT INTO shared VALUES (?)');
  for (const field of new Set(fields)) insert.run(field);
}

/** The shared fields of a file: those that it was made with. */
function sharedIn(database: DatabaseSync): ReadonlySet<string> {
  if (!database.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'shared'`).get()) return new Set();
  return new Set(
    database
      .prepare('SELECT field FROM shared')
      .all()
      .map(({ field }) => field as string),
  );
}
