import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { Certificate } from './certificate.js';
import { Connections } from './connections.js';
import { Control } from './control.js';
import { EventLog } from './log/event-log.js';
import { GossipService, StreamsService } from './protocol/messages.js';
import { append } from './services/append.js';
import type { Release, ServiceContext } from './services/context.js';
import { gated } from './services/gate.js';
import { readGossip } from './services/gossip.js';
import { read } from './services/read.js';
import { tombstone } from './services/tombstone.js';

export interface EventStoreServerOptions {
  /** Whose checkpoints it tells; default 23.10. */
  readonly release?: Release;
  /** After which an append is given up that is the same as one being committed; default 2 s, the server's own. */
  readonly commitTimeoutMs?: number;
  /** Folder of the log, created if missing. Default: in memory. */
  readonly directory?: string;
  /** Port on 127.0.0.1; default: any free one. */
  readonly port?: number;
  /** Default: without encryption. Clients then need the certificate as their `tlsCAFile`. */
  readonly tls?: Certificate;
  /** Passwords by user name; with them, every call of a stream or the log needs credentials. Default: anybody may do anything. */
  readonly users?: Readonly<Record<string, string>>;
}

export interface EventStoreServer {
  /** `esdb://127.0.0.1:PORT?tls=false`, or `true`. */
  readonly address: string;
  readonly port: number;
  /** Faults on demand. */
  readonly control: Control;
  /** Removes what reads no longer show from the log, too. */
  scavenge(): void;
  /** Cuts all connections and closes the log. */
  close(): Promise<void>;
}

/** Starts a server that speaks EventStoreDB's protocol on the loopback, for tests. See README.md for what it promises. */
export async function startEventStoreServer(options: EventStoreServerOptions = {}): Promise<EventStoreServer> {
  const { release = '23.10', commitTimeoutMs = 2_000, directory = null, port: wanted = 0, tls, users = null } = options;
  const log = new EventLog(directory);
  const connections = new Connections();
  const control = new Control(connections);
  const server = new Server(LIMITS);
  addServices(server, { log, release, commitTimeoutMs, control, connections, users, port: () => port });
  const port = await connections.listen(wanted, server.createConnectionInjector(credentialsFor(tls))).catch((error) => {
    log.close();
    throw error;
  });
  return {
    address: `esdb://127.0.0.1:${port}?tls=${tls !== undefined}`,
    port,
    control,
    scavenge: () => log.scavenge(),
    close: async () => {
      await connections.close();
      server.forceShutdown();
      log.close();
    },
  };
}

const LIMITS = {
  // Beyond this number of calls over one connection, further ones wait in the client: Kestrel's default, which the server leaves.
  'grpc.max_concurrent_streams': 100,
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
};

const credentialsFor = (tls: Certificate | undefined): ServerCredentials =>
  tls
    ? ServerCredentials.createSsl(null, [
        { cert_chain: Buffer.from(tls.certificate), private_key: Buffer.from(tls.privateKey) },
      ])
    : ServerCredentials.createInsecure();

function addServices(server: Server, context: ServiceContext): void {
  const handlers = { append: append(context), read: read(context), tombstone: tombstone(context) };
  server.addService(StreamsService, gated(context, handlers, 'users'));
  server.addService(GossipService, gated(context, { read: readGossip(context) }, 'anybody'));
}
