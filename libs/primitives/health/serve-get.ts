import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Limit for receiving a whole request. */
const REQUEST_MS = 15_000;

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Answers by path, such as `/health`. A rejected answer becomes 500. */
type Routes = Readonly<Record<string, () => Promise<Answer>>>;

export interface GetServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves GET of some paths, with any query, to the operator of this process. Other requests get 404. */
export async function serveGet(
  routes: Routes,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<GetServer> {
  const server = createServer({ requestTimeout: REQUEST_MS }, (request, response) => {
    const route = routes[pathOf(request)];
    if (!route || !['GET', 'HEAD'].includes(request.method ?? '')) {
      response.writeHead(404).end();
      return;
    }
    route().then(
      ({ status, contentType, body }) => response.writeHead(status, { 'content-type': contentType }).end(body),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0]!;
