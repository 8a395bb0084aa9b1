import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection on which a test writes requests byte by byte. */
export interface RawClient {
  readonly socket: Socket;
  /** The bytes received so far. */
  text(): string;
  /** Resolves with the bytes received once they match. @throws Error when the connection ends first */
  until(pattern: RegExp): Promise<string>;
  /** The end of the connection: `end` for a FIN, else the error's code. */
  readonly ended: Promise<string>;
}

export async function openRawClient(url: string): Promise<RawClient> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname });
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const ended = new Promise<string>((resolve) => {
    socket.once('end', () => resolve('end'));
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    socket.once('close', () => resolve('close'));
  });
  await once(socket, 'connect');
  return {
    socket,
    text: () => text,
    ended,
    async until(pattern) {
      while (!pattern.test(text)) {
        const more = new Promise<string>((resolve) => socket.once('data', () => resolve('data')));
        const what = await Promise.race([more, ended]);
        if (what !== 'data' && !pattern.test(text)) throw new Error(`the connection ended (${what}) after: ${text}`);
      }
      return text;
    },
  };
}
