import type { Json } from '#domain/json.js';

/**
 * The messages of a call. A request goes to one server of the subject's queue group with the caller's inbox as its
 * reply subject. Each server message but the last has a reply subject too, the server's inbox for this call, which
 * receives the rest of a large request, credits and the cancellation. So NATS's "no responders" tells each side at once
 * when the other has died.
 *
 * A message consists of a byte for its kind, a number (big endian, 4 bytes), and a payload. Messages with a piece of a
 * body are counted: a gap ends the call, and neither side sends more than the other has given credit for.
 */
export const KIND = {
  /** Caller: number = deadline in ms; payload = 4 bytes of body length, then the body or its first piece. */
  request: 1,
  /** Either side: a piece of a body, more follow; number = its index. */
  piece: 2,
  /** Server: a frame, or its last piece; number = its place. */
  frame: 3,
  /** Server: a frame and the end in one. */
  last: 4,
  end: 5,
  /** Server: payload = `{code, message, details}`. */
  error: 6,
  /** Server: the request has arrived; number = further bytes that may be sent. */
  accept: 7,
  /** Either side: number = further bytes that may be sent. */
  credit: 8,
  /** Either side: keep-alive. */
  alive: 9,
  /** Caller: stop. */
  cancel: 10,
  /** Server: it has restarted, and no longer knows this call. */
  lost: 11,
} as const;
type Kind = (typeof KIND)[keyof typeof KIND];

/** The flow-control window: bytes that a side may send before the other acknowledges their use. */
export const WINDOW_BYTES = 2 * 1024 * 1024;
/** Maximum size of a body or frame. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;
/** Counted for each message on top of its payload, so that many small ones are bounded too. */
const MESSAGE_COST = 1024;
const HEAD = 5;
const LENGTH = 4;
const MAX_MESSAGE_BYTES = 512 * 1024;

export interface WireMessage {
  readonly kind: Kind;
  readonly number: number;
  readonly payload: Buffer;
}

export const costOf = (payload: Uint8Array): number => payload.length + MESSAGE_COST;

/** @param most bytes that the server accepts in one message */
export const pieceBytes = (most: number): number => Math.min(MAX_MESSAGE_BYTES, most) - HEAD - LENGTH;

export function write(kind: Kind, number = 0, payload?: Uint8Array): Buffer {
  const message = Buffer.allocUnsafe(HEAD + (payload?.length ?? 0));
  message.writeUInt8(kind);
  message.writeUInt32BE(number, 1);
  if (payload) message.set(payload, HEAD);
  return message;
}

export function read(data: Uint8Array): WireMessage {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return { kind: bytes.readUInt8() as Kind, number: bytes.readUInt32BE(1), payload: bytes.subarray(HEAD) };
}

export function writeRequest(deadlineMs: number, bodyLength: number, piece: Uint8Array): Buffer {
  const payload = Buffer.allocUnsafe(LENGTH + piece.length);
  payload.writeUInt32BE(bodyLength);
  payload.set(piece, LENGTH);
  return write(KIND.request, Math.min(Math.ceil(deadlineMs), 0xffffffff), payload);
}

export function readRequest({ number, payload }: WireMessage) {
  return { deadlineMs: number, bodyLength: payload.readUInt32BE(), piece: payload.subarray(LENGTH) };
}

export const encode = (body: Json): Buffer => Buffer.from(JSON.stringify(body));
export const decode = (bytes: Buffer): Json => JSON.parse(bytes.toString()) as Json;
