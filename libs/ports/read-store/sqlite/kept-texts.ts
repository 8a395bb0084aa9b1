import type { DatabaseSync, StatementSync } from 'node:sqlite';

export const TEXTS_SQL = 'CREATE TABLE IF NOT EXISTS texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)';

/** The texts that a file keeps once, by their ids. Their ids never change, and none is removed. */
export class KeptTexts {
  private texts: string[] = [];
  private readonly ids = new Map<string, number>();
  private readonly after: StatementSync;
  private highest = 0;

  constructor(private readonly database: DatabaseSync) {
    this.after = database.prepare('SELECT id, text FROM texts WHERE id > ? ORDER BY id');
  }

  /** @returns null for an id that the file does not have */
  text(id: number): string | null {
    if (id > this.highest) this.load();
    return this.texts[id] ?? null;
  }

  /** The id of a text; null for one that is not kept. */
  id(text: string): number | null {
    if (!this.ids.has(text)) this.load();
    return this.ids.get(text) ?? null;
  }

  /** Keeps a text from now on, as part of the transaction that is open. */
  keep(text: string): number {
    const known = this.ids.get(text) ?? this.id(text);
    if (known !== null) return known;
    this.database.prepare('INSERT INTO texts (text) VALUES (?)').run(text);
    this.load();
    return this.ids.get(text)!;
  }

  all(): ReadonlyMap<string, number> {
    this.load();
    return this.ids;
  }

  forget(): void {
    this.texts = [];
    this.ids.clear();
    this.highest = 0;
  }

  private load(): void {
    for (const { id, text } of this.after.all(this.highest) as unknown as readonly Kept[]) {
      this.highest = id;
      this.texts[id] = text;
      this.ids.set(text, id);
    }
  }
}

interface Kept {
  readonly id: number;
  readonly text: string;
}
