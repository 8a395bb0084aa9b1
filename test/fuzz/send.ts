import { Agent, request } from 'node:http';

/** A request as it goes over the wire. */
export interface WireRequest {
  readonly method: string;
  /** Path and query, percent-encoded. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | Uint8Array | null;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** The request was not answered in time. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

/** Routes whose answer goes on: its first piece is looked at. */
export const ENDLESS = /^\/events\/live\b/;

/** The connection ended without an answer. */
export class CutOffError extends Error {
  override readonly name = 'CutOffError';
}

/** Sends requests that `fetch` would mend or refuse. Connections are kept. */
export class Sender {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 8 });
  private readonly hostname: string;
  private readonly port: string;

  constructor(
    url: string,
    private readonly deadlineMs: number,
  ) {
    ({ hostname: this.hostname, port: this.port } = new URL(url));
  }

  /** @throws NoAnswerError, CutOffError */
  send({ method, target, headers, body }: WireRequest): Promise<WireAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<WireAnswer>();
    const all = [...headers, ...lengthOf(body, headers), ['host', `${this.hostname}:${this.port}`] as const].flat();
    const sent = request({
      ...{ hostname: this.hostname, port: this.port, method, path: target, agent: this.agent },
      headers: all,
    });
    const late = setTimeout(() => {
      reject(new NoAnswerError(`no answer in ${this.deadlineMs} ms`));
      sent.destroy();
    }, this.deadlineMs);
    sent.once('error', (error) => reject(new CutOffError(error.message)));
    sent.once('response', (response) => {
      const chunks: Buffer[] = [];
      if (response.statusCode === 200 && ENDLESS.test(target))
        response.once('data', () => {
          response.push(null);
          sent.destroy();
        });
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', (error) => reject(new CutOffError(error.message)));
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    sent.end(body ?? undefined);
    return promise.finally(() => clearTimeout(late));
  }

  close(): void {
    this.agent.destroy();
  }
}

/** With an array of headers, Node adds none of its own. */
function lengthOf(body: WireRequest['body'], headers: WireRequest['headers']): readonly (readonly [string, string])[] {
  const told = headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name));
  return body === null || told ? [] : [['content-length', String(Buffer.byteLength(body))]];
}
