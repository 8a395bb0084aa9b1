import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

const NAME = 'scripted';

/**
 * A replica set of one member, a proxy before a server without one, which may be without a primary: then it answers as a secondary does,
 * and refuses all else. Wire protocol: https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/
 */
export class ScriptedReplicaSet {
  /** Whether the member is the primary. */
  hasPrimary = true;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly listener: Server,
    private readonly upstream: { readonly host: string; readonly port: number },
  ) {
    listener.on('connection', (client) => this.join(client));
  }

  /** @param server `host:port` */
  static async before(server: string): Promise<ScriptedReplicaSet> {
    const [host, port] = server.split(':') as [string, string];
    const listener = createServer();
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return new ScriptedReplicaSet(listener, { host, port: Number(port) });
  }

  get address(): string {
    return `mongodb://${this.member}/?replicaSet=${NAME}`;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.listener.close();
    await once(this.listener, 'close');
  }

  private get member(): string {
    return `127.0.0.1:${(this.listener.address() as AddressInfo).port}`;
  }

  private join(client: Socket): void {
    const server = connect(this.upstream.port, this.upstream.host);
    /** Ids of requests for the state of the member. */
    const greetings = new Set<number>();
    const fromClient = new Messages((message) => {
      const [name = ''] = Object.keys(documentIn(message));
      if (/^(hello|ismaster)$/i.test(name)) greetings.add(message.readInt32LE(4));
      else if (!this.hasPrimary) return void client.write(answerTo(message, NOT_PRIMARY));
      server.write(message);
    });
    const fromServer = new Messages((message) => {
      const isGreeting = greetings.delete(message.readInt32LE(8));
      client.write(isGreeting ? withDocument(message, { ...documentIn(message), ...this.state() }) : message);
    });
    client.on('data', (bytes) => fromClient.take(bytes));
    server.on('data', (bytes) => fromServer.take(bytes));
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
    }
  }

  private state(): Document {
    const { hasPrimary, member } = this;
    return {
      ...{ setName: NAME, hosts: [member], me: member, ...(hasPrimary && { primary: member }) },
      ...{ ismaster: hasPrimary, isWritablePrimary: hasPrimary, secondary: !hasPrimary },
    };
  }
}

const NOT_PRIMARY = { ok: 0, errmsg: 'not primary', code: 10107, codeName: 'NotWritablePrimary' };

const HEADER = 16;
const [OP_REPLY, OP_QUERY, OP_MSG] = [1, 2004, 2013] as const;

/** Splits a stream of bytes into messages. */
class Messages {
  private left: Buffer = Buffer.alloc(0);

  constructor(private readonly each: (message: Buffer) => void) {}

  take(bytes: Buffer): void {
    this.left = Buffer.concat([this.left, bytes]);
    while (this.left.length >= HEADER && this.left.length >= this.left.readInt32LE(0)) {
      const message = this.left.subarray(0, this.left.readInt32LE(0));
      this.left = this.left.subarray(message.length);
      this.each(message);
    }
  }
}

/** The offset of a message's first document, in bytes. */
function documentAt(message: Buffer): number {
  switch (message.readInt32LE(12)) {
    // Flags, and the kind of the first section, which the driver sends as a document.
    case OP_MSG:
      return HEADER + 4 + 1;
    case OP_QUERY:
      return message.indexOf(0, HEADER + 4) + 1 + 8;
    case OP_REPLY:
      return HEADER + 20;
    default:
      throw new Error(`an unknown message: ${message.readInt32LE(12)}`);
  }
}

function documentIn(message: Buffer): Document {
  const at = documentAt(message);
  return BSON.deserialize(message.subarray(at, at + message.readInt32LE(at)));
}

/** The same message with another document. */
function withDocument(message: Buffer, document: Document): Buffer {
  return sized(Buffer.concat([message.subarray(0, documentAt(message)), BSON.serialize(document)]));
}

/** An answer to a command, which comes as an OP_MSG. */
function answerTo(request: Buffer, document: Document): Buffer {
  const head = Buffer.alloc(HEADER + 5);
  head.writeInt32LE(request.readInt32LE(4), 8);
  head.writeInt32LE(OP_MSG, 12);
  return sized(Buffer.concat([head, BSON.serialize(document)]));
}

function sized(message: Buffer): Buffer {
  message.writeInt32LE(message.length, 0);
  return message;
}
