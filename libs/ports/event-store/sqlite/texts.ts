import { crc32 } from 'node:zlib';

/** `[id, text, checksum]` */
export type TextRow = readonly [number, string, number];
export const TEXT_COLUMNS = 'id, text, checksum';

/** The texts of a log that packed events refer to, read as they are needed. */
export class Texts {
  private readonly texts = new Map<number, string>();
  private highest = -1;

  /** @param rowsAfter rows with higher ids than this one, in their order */
  constructor(private readonly rowsAfter: (id: number) => readonly TextRow[]) {}

  /** @returns null for a text that the log does not have, or that has changed since it was written */
  get(id: number): string | null {
    const known = this.texts.get(id);
    if (known !== undefined) return known;
    if (id > this.highest) this.load();
    return this.texts.get(id) ?? null;
  }

  /** All there are by now, by their ids. */
  all(): ReadonlyMap<number, string> {
    this.load();
    return this.texts;
  }

  private load(): void {
    for (const [id, text, checksum] of this.rowsAfter(this.highest)) {
      this.highest = id;
      if (textChecksum(id, text) === checksum) this.texts.set(id, text);
    }
  }
}

export const textChecksum = (id: number, text: string): number => crc32(`${id} ${text}`);
