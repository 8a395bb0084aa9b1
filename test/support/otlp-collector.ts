import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A span that was received, by the names of OTLP's protocol. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the root of a trace. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Traces of its links. */
  readonly links: readonly string[];
}

export interface OtlpCollector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  close(): Promise<void>;
}

/** Takes traces over HTTP, in binary protobuf: https://opentelemetry.io/docs/specs/otlp/ */
export async function startOtlpCollector(): Promise<OtlpCollector> {
  const spans: ReceivedSpan[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      if (request.url === '/v1/traces') spans.push(...spansIn(body));
      response.writeHead(request.url === '/v1/traces' ? 200 : 404, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Field numbers of opentelemetry/proto/trace/v1/trace.proto. */
const spansIn = (request: Uint8Array): readonly ReceivedSpan[] =>
  nested(request, 1)
    .flatMap((resource) => nested(resource, 2))
    .flatMap((scope) => nested(scope, 2))
    .map((span) => ({
      traceId: hex(nested(span, 1)[0]),
      spanId: hex(nested(span, 2)[0]),
      parentSpanId: hex(nested(span, 4)[0]),
      name: text(nested(span, 5)[0]),
      attributes: Object.fromEntries(
        nested(span, 9).map((pair) => [text(nested(pair, 1)[0]), valueOf(nested(pair, 2)[0]!)]),
      ),
      links: nested(span, 13).map((link) => hex(nested(link, 1)[0])),
    }));

const valueOf = (any: Uint8Array): string | number => {
  const number = fieldsOf(any).find(({ field }) => field === 3)?.value;
  return typeof number === 'number' ? number : text(nested(any, 1)[0]);
};

const hex = (bytes: Uint8Array = new Uint8Array()): string => Buffer.from(bytes).toString('hex');
const text = (bytes: Uint8Array = new Uint8Array()): string => Buffer.from(bytes).toString('utf8');

const nested = (message: Uint8Array, wanted: number): readonly Uint8Array[] =>
  fieldsOf(message).flatMap(({ field, value }) => (field === wanted && typeof value !== 'number' ? [value] : []));

/** https://protobuf.dev/programming-guides/encoding/ */
function fieldsOf(message: Uint8Array): readonly { readonly field: number; readonly value: number | Uint8Array }[] {
  const found: { field: number; value: number | Uint8Array }[] = [];
  let at = 0;
  const varint = () => {
    let [value, scale] = [0, 1];
    for (;;) {
      const byte = message[at++]!;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const [field, kind] = [Math.floor(tag / 8), tag & 7];
    if (kind === 0) found.push({ field, value: varint() });
    else {
      const length = kind === 2 ? varint() : kind === 1 ? 8 : 4;
      found.push({ field, value: message.subarray(at, at + length) });
      at += length;
    }
  }
  return found;
}
