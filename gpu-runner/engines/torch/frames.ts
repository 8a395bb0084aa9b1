import type { Writable } from 'node:stream';

/** Bytes of a message's JSON. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024;
const HEADER_BYTES = 4;

/** A message between the runner and its Python process, discriminated by `type`. */
export interface Message {
  readonly type: string;
}

/** The other side does not keep to the protocol. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}

/** A message as a frame: 4 bytes of length (big-endian), and UTF-8 JSON. @throws FrameError when it is too long */
export function encodeFrame(message: Message): Buffer {
  const json = Buffer.from(JSON.stringify(message));
  if (json.length > MAX_FRAME_BYTES) throw tooLong(message.type, json.length);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(json.length);
  return Buffer.concat([header, json]);
}

/** Writes a message. Resolves once the pipe has taken it: a sender that waits holds little in memory. @throws FrameError */
export function writeFrame(pipe: Writable, message: Message): Promise<void> {
  const frame = encodeFrame(message);
  return new Promise((resolve, reject) => {
    pipe.write(frame, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * The messages of a stream. The stream is read no further while the consumer is busy with one.
 * @throws FrameError for a frame that is too long, is cut off, or holds no message
 */
export async function* readFrames(source: AsyncIterable<Uint8Array>): AsyncGenerator<Message> {
  let chunks: Uint8Array[] = [];
  let held = 0;
  let wanted: number | null = null;
  const take = (count: number): Buffer => {
    const all = Buffer.concat(chunks, held);
    chunks = [all.subarray(count)];
    held -= count;
    return all.subarray(0, count);
  };
  for await (const chunk of source) {
    chunks.push(chunk);
    held += chunk.length;
    while (held >= (wanted ?? HEADER_BYTES)) {
      if (wanted === null) {
        wanted = take(HEADER_BYTES).readUInt32BE();
        if (wanted > MAX_FRAME_BYTES) throw tooLong('frame', wanted);
      } else {
        const json = take(wanted);
        wanted = null;
        yield parsed(json);
      }
    }
  }
  if (held > 0 || wanted !== null) throw new FrameError('the stream ended within a frame');
}

function parsed(json: Buffer): Message {
  let message: unknown;
  try {
    message = JSON.parse(json.toString());
  } catch {
    throw new FrameError('a frame holds no JSON');
  }
  if (typeof (message as Partial<Message> | null)?.type !== 'string') throw new FrameError('a message has no `type`');
  return message as Message;
}

const tooLong = (what: string, bytes: number): FrameError =>
  new FrameError(`a ${what} of ${bytes} bytes is longer than the ${MAX_FRAME_BYTES} that a frame holds`);
