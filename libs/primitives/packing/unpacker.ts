import type { Json } from '#domain/json.js';
import { PACKING } from './packer.js';
import { filled, planOf, type Plan } from './shape.js';
import { MAX_EARLIER, SHAPE_AT, SHAPE_BYTES, TAG, uuidText } from './values.js';

/** Turns what is packed into what it was, members in the same order. */
export class Unpacker {
  private readonly plans = new Map<number, Plan>();

  /** @param known the text of an id; null for one that is not kept */
  constructor(private readonly known: (id: number) => string | null) {}

  /** @throws Error for bytes that were not packed, or have changed since */
  unpack(bytes: Uint8Array): readonly Json[] {
    const input = new Input(bytes, (id) => this.text(id));
    if (bytes[0] !== PACKING) throw new Error(`it is packed in a way that this release does not know (${bytes[0]})`);
    const values = filled(this.plan(input.shape()), input) as readonly Json[];
    if (!input.isAtEnd) throw new Error('it has more values than its shape');
    return values;
  }

  private plan(shape: number): Plan {
    let plan = this.plans.get(shape);
    if (plan === undefined) this.plans.set(shape, (plan = planOf(JSON.parse(this.text(shape)) as Json)));
    return plan;
  }

  private text(id: number): string {
    const text = this.known(id);
    if (text === null) throw new Error(`a text that it refers to is missing (${id})`);
    return text;
  }
}

class Input {
  private readonly buffer: Buffer;
  private at = SHAPE_AT + SHAPE_BYTES;
  private readonly earlier: string[] = [];

  constructor(
    bytes: Uint8Array,
    private readonly known: (id: number) => string,
  ) {
    this.buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.at === this.buffer.length;
  }

  shape(): number {
    return this.buffer.readUIntLE(SHAPE_AT, SHAPE_BYTES);
  }

  next(): Json {
    const tag = this.byte();
    if (tag >= TAG.shortKnown) return this.known(((tag & 0x7f) << 8) | this.byte());
    if (tag >= TAG.earlier) return this.earlierOne(tag - TAG.earlier);
    switch (tag) {
      case TAG.null:
        return null;
      case TAG.true:
        return true;
      case TAG.false:
        return false;
      case TAG.text:
        return this.text('utf8');
      case TAG.uuid:
        return this.later(uuidText(this.buffer, this.taken(16)));
      case TAG.uuidFirst:
        return uuidText(this.buffer, this.taken(16)) + this.text('utf8');
      case TAG.hex:
        return this.text('hex');
      case TAG.base64:
        return this.text('base64');
      case TAG.time:
        return this.later(new Date(this.buffer.readUIntLE(this.taken(6), 6)).toISOString());
      case TAG.digits:
        return String(this.whole());
      case TAG.integer:
        return this.whole();
      case TAG.negative:
        return -this.whole();
      case TAG.double:
        return this.buffer.readDoubleLE(this.taken(8));
      case TAG.known:
        return this.known(this.whole());
      case TAG.padded:
        return this.padded(this.whole());
      case TAG.json:
        return JSON.parse(this.text('utf8')) as Json;
      default:
        throw new Error(`it has a value of an unknown kind (${tag})`);
    }
  }

  private padded(length: number): string {
    return String(this.whole()).padStart(length, '0');
  }

  private earlierOne(at: number): string {
    const text = this.earlier[at];
    if (text === undefined) throw new Error('it refers to a value that does not come before');
    return text;
  }

  private later(text: string): string {
    if (this.earlier.length < MAX_EARLIER) this.earlier.push(text);
    return text;
  }

  private byte(): number {
    const byte = this.buffer[this.at++];
    if (byte === undefined) throw new Error('it ends too early');
    return byte;
  }

  private whole(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  private text(encoding: BufferEncoding): string {
    const start = this.taken(this.whole());
    return this.buffer.toString(encoding, start, this.at);
  }

  /** Passes some bytes. @returns where they begin */
  private taken(count: number): number {
    const start = this.at;
    this.at += count;
    if (this.at > this.buffer.length) throw new Error('it ends too early');
    return start;
  }
}
