import { ownTurn } from './own-turn.js';

/** Approximate number of characters written in one turn of the event loop: a millisecond or two. */
const PIECE = 256 * 1024;

/** Whether `JSON.stringify` would block the thread. Reads only as much of the value as needed to decide. */
export const isLargeJson = (value: unknown): boolean => roomAfter(value, PIECE) < 0;

/** The UTF-8 of `JSON.stringify`, written over several turns of the event loop. */
export async function jsonInTurns(value: unknown): Promise<readonly Buffer[]> {
  const writer = new Writer();
  await writer.write(value);
  return writer.end();
}

class Writer {
  private readonly pieces: Buffer[] = [];
  private text = '';

  async write(value: unknown): Promise<void> {
    if (typeof value === 'string') return this.string(value);
    if (!isLargeJson(value)) return this.add(JSON.stringify(value));
    return Array.isArray(value) ? this.list(value) : this.object(value as object);
  }

  end(): readonly Buffer[] {
    this.flush();
    return this.pieces;
  }

  private async string(value: string): Promise<void> {
    this.text += '"';
    for (let start = 0, end = 0; start < value.length; start = end) {
      end = start + PIECE;
      // A surrogate pair stays together: half of one would be written as an escape.
      if (isLeading(value.charCodeAt(end - 1))) end += 1;
      await this.add(JSON.stringify(value.slice(start, end)).slice(1, -1));
    }
    this.text += '"';
  }

  private async list(items: readonly unknown[]): Promise<void> {
    this.text += '[';
    for (let start = 0, end = 0; start < items.length; start = end) {
      if (start > 0) this.text += ',';
      // A chunk holds as many small items as fit, or one larger item.
      for (let room = PIECE; end < items.length && room >= 0; end += 1) room = roomAfter(items[end], room - 1);
      if (end - start > 1 && isLargeJson(items[end - 1])) end -= 1;
      if (end - start === 1) await this.write(items[start] ?? null);
      else await this.add(JSON.stringify(items.slice(start, end)).slice(1, -1));
    }
    this.text += ']';
  }

  private async object(value: object): Promise<void> {
    let separator = '{';
    for (const [name, item] of Object.entries(value)) {
      if (item === undefined) continue;
      this.text += `${separator}${JSON.stringify(name)}:`;
      await this.write(item);
      separator = ',';
    }
    this.text += separator === '{' ? '{}' : '}';
  }

  private async add(json: string): Promise<void> {
    this.text += json;
    if (this.text.length < PIECE) return;
    this.flush();
    await ownTurn();
  }

  private flush(): void {
    this.pieces.push(Buffer.from(this.text));
    this.text = '';
  }
}

const isLeading = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** `room` less the approximate number of characters in a value's JSON; negative as soon as the value is too large. */
export function roomAfter(value: unknown, room: number): number {
  if (typeof value === 'string') return room - value.length - 2;
  if (typeof value !== 'object' || value === null) return room - 8;
  let left = room - 2;
  if (Array.isArray(value)) {
    for (const item of value) if ((left = roomAfter(item, left - 1)) < 0) return left;
    return left;
  }
  for (const name in value)
    if ((left = roomAfter((value as Record<string, unknown>)[name], left - name.length - 4)) < 0) return left;
  return left;
}
