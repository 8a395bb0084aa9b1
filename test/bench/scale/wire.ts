import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** What this process exchanged with one server. */
export interface Traffic {
  /** Writes to its connections: a driver sends each command of MongoDB in one. */
  readonly writes: number;
  /** Both ways. */
  readonly bytes: number;
}

/** Counts at the sockets that drivers open from now on, so that nothing stands between a driver and its server. */
export class Wire {
  private readonly sockets: { readonly socket: Socket; writes: number }[] = [];

  constructor() {
    subscribe('net.client.socket', (message) => {
      const { socket } = message as { readonly socket: Socket };
      const counted = { socket, writes: 0 };
      this.sockets.push(counted);
      // Connecting takes a method of its own away again.
      socket.once('connect', () => {
        const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
        Object.assign(socket, {
          write: (...args: unknown[]) => {
            counted.writes += 1;
            return write(...args);
          },
        });
      });
    });
  }

  /** Until now. */
  to(port: number): Traffic {
    let [writes, bytes] = [0, 0];
    for (const each of this.sockets) {
      if (each.socket.remotePort !== port) continue;
      writes += each.writes;
      bytes += each.socket.bytesRead + each.socket.bytesWritten;
    }
    return { writes, bytes };
  }
}

export const since = (before: Traffic, now: Traffic): Traffic => ({
  writes: now.writes - before.writes,
  bytes: now.bytes - before.bytes,
});
