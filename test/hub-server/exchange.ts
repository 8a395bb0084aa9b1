import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

/** A request and how it is answered. */
export class Exchange {
  readonly address: URL;
  readonly token: string | null;

  constructor(
    readonly request: IncomingMessage,
    private readonly response: ServerResponse,
  ) {
    this.address = new URL(request.url ?? '/', `http://${request.headers.host}`);
    this.token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? null;
  }

  async body(): Promise<Buffer> {
    return Buffer.concat(await Array.fromAsync(this.request as AsyncIterable<Buffer>));
  }

  async json<T>(): Promise<T> {
    return JSON.parse((await this.body()).toString()) as T;
  }

  send(status: number, value: unknown, headers: Record<string, string> = {}): void {
    this.response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
    this.response.end(JSON.stringify(value));
  }

  /** Refuses as the hub does: with code and message in headers too. */
  refuse(status: number, code: string | null, error: string, headers: Record<string, string> = {}): void {
    const told = { 'x-error-message': error, ...(code !== null && { 'x-error-code': code }) };
    this.send(status, { error }, { ...told, ...headers });
  }

  redirect(status: number, location: string, headers: Record<string, string> = {}): void {
    const text = `Redirecting to ${location}`;
    this.response.writeHead(status, { location, 'content-type': 'text/plain; charset=utf-8', ...headers }).end(text);
  }

  /** The whole content, in a body whose length is not told. */
  sendCompressed(content: Buffer, headers: Record<string, string>): void {
    this.response.writeHead(200, { 'content-encoding': 'gzip', ...headers });
    this.response.write(gzipSync(content), () => this.response.end());
  }

  /** The content, or the range of it that was asked for. */
  sendContent(content: Buffer, headers: Record<string, string> = {}): void {
    const range = /^bytes=(\d+)-(\d+)?$/.exec(this.request.headers.range ?? '');
    const common = { 'accept-ranges': 'bytes', ...headers };
    if (range === null) {
      this.response.writeHead(200, { ...common, 'content-length': content.length }).end(content);
      return;
    }
    const start = Number(range[1]);
    const end = Math.min(range[2] === undefined ? content.length : Number(range[2]) + 1, content.length);
    if (start >= content.length) {
      this.response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end();
      return;
    }
    const part = content.subarray(start, end);
    const place = { 'content-range': `bytes ${start}-${end - 1}/${content.length}`, 'content-length': part.length };
    this.response.writeHead(206, { ...common, ...place }).end(part);
  }

  /** Sends half of it and cuts the connection. */
  sendHalf(content: Buffer): void {
    this.response.writeHead(200, { 'content-length': content.length });
    this.response.write(content.subarray(0, Math.floor(content.length / 2)), () => this.response.destroy());
  }
}
