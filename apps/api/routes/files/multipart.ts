import { badRequest } from '../../edge/errors/index.js';

/**
 * A part of a `multipart/form-data` body (RFC 7578). Its content is read whole before the next part is requested, or
 * not at all.
 */
export interface FormPart {
  readonly name: string;
  /** null for a field that is no file. */
  readonly fileName: string | null;
  readonly content: AsyncIterable<Buffer>;
}

/** Bytes of a part's headers. */
const MAX_HEAD_BYTES = 8 * 1024;
const END_OF_HEAD = Buffer.from('\r\n\r\n');

/** @throws HttpError 400 when the header names no multipart form with a boundary */
export function boundaryOf(contentType: string | undefined): string {
  const [, quoted, plain] =
    /^\s*multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s";]{1,70}))/i.exec(contentType ?? '') ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw badRequest('this route takes multipart/form-data, with a file and its purpose');
  return boundary;
}

/** The parts of a body as they come. @throws HttpError 400 (while iterating) when it is malformed or ends too early */
export async function* partsOf(body: AsyncIterable<Uint8Array>, boundary: string): AsyncGenerator<FormPart> {
  const bytes = new Bytes(body);
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  for await (const _ of bytes.upTo(delimiter)) continue;
  for (;;) {
    const next = (await bytes.take(2)).toString('latin1');
    if (next === '--') return;
    if (next !== '\r\n') throw malformed('a boundary is not followed by a line break');
    const head = await headOf(bytes);
    const content = bytes.upTo(delimiter);
    yield { ...named(head), content };
    for await (const _ of content) continue;
  }
}

/** The text of a part that is a short field. @throws HttpError 400 when it is longer */
export async function textOf({ name, content }: FormPart, maxBytes: number): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of content) {
    size += piece.length;
    if (size > maxBytes) throw malformed(`the field ${JSON.stringify(name)} is longer than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

async function headOf(bytes: Bytes): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of bytes.upTo(END_OF_HEAD)) {
    size += piece.length;
    if (size > MAX_HEAD_BYTES) throw malformed(`the headers of a part are longer than ${MAX_HEAD_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function named(head: string): Pick<FormPart, 'name' | 'fileName'> {
  const disposition = /^content-disposition:\s*form-data\s*;(.*)$/im.exec(head)?.[1] ?? '';
  const name = parameterOf(disposition, 'name');
  if (name === null) throw malformed('a part has no name');
  return { name, fileName: parameterOf(disposition, 'filename') };
}

/** Browsers write a quotation mark as %22, other clients escape it with a backslash. */
function parameterOf(disposition: string, name: string): string | null {
  const pattern = new RegExp(`(?:^|;)\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s";]+))`, 'i');
  const [, quoted, plain] = pattern.exec(disposition) ?? [];
  return quoted?.replaceAll(/\\(.)/g, '$1').replaceAll('%22', '"') ?? plain ?? null;
}

const malformed = (problem: string) => badRequest(`the body is not valid multipart/form-data: ${problem}`);

/** Bytes that are taken in pieces of unforeseen sizes. */
class Bytes {
  private readonly source: AsyncIterator<Uint8Array>;
  /** The line break before the first boundary may be left out. */
  private held = Buffer.from('\r\n');

  constructor(source: AsyncIterable<Uint8Array>) {
    this.source = source[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Buffer> {
    while (this.held.length < count) await this.more();
    const taken = this.held.subarray(0, count);
    this.held = this.held.subarray(count);
    return taken;
  }

  /** Everything before a mark, which is taken too. */
  async *upTo(mark: Buffer): AsyncGenerator<Buffer> {
    for (;;) {
      const at = this.held.indexOf(mark);
      // A mark may begin in the last bytes.
      const end = at === -1 ? Math.max(0, this.held.length - mark.length + 1) : at;
      const piece = this.held.subarray(0, end);
      this.held = this.held.subarray(at === -1 ? end : at + mark.length);
      if (piece.length > 0) yield piece;
      if (at !== -1) return;
      await this.more();
    }
  }

  private async more(): Promise<void> {
    const next = await this.source.next();
    if (next.done) throw malformed('it ends too early');
    this.held = Buffer.concat([this.held, next.value]);
  }
}
