import { type ConnectionInjector } from '@grpc/grpc-js';
import { createServer, type AddressInfo, type Socket } from 'node:net';

/** The server's sockets: accepted here and handed to gRPC, so that they can be cut. */
export class Connections {
  refuse = false;
  private readonly sockets = new Set<Socket>();
  private readonly listener = createServer((socket) => this.accept(socket));
  private injector: ConnectionInjector | null = null;

  /** @returns the port */
  async listen(port: number, injector: ConnectionInjector): Promise<number> {
    this.injector = injector;
    await new Promise<void>((resolve, reject) => {
      this.listener.once('error', reject);
      this.listener.listen({ port, host: '127.0.0.1' }, resolve);
    });
    return (this.listener.address() as AddressInfo).port;
  }

  /** Cuts the connection that a call came by. @param peer as `call.getPeer()` says it */
  cut(peer: string): void {
    for (const socket of this.sockets) if (peer.endsWith(`:${socket.remotePort}`)) socket.destroy();
  }

  cutAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.listener.close(resolve));
    this.cutAll();
    this.injector?.destroy();
    await closed;
  }

  private accept(socket: Socket): void {
    // A connection that breaks is the peer's affair, and often what a test wants.
    socket.on('error', () => undefined);
    if (this.refuse) {
      socket.destroy();
      return;
    }
    socket.setNoDelay(true);
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    this.injector?.injectConnection(socket);
  }
}
