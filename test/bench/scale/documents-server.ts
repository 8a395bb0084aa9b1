import { BSON, type Document } from 'mongodb';
import { createServer, type Server, type Socket } from 'node:net';

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEAD = 16;
const DUPLICATE_KEY = 11000;
const HELLO = {
  ...{ ok: 1, isWritablePrimary: true, ismaster: true, helloOk: true, minWireVersion: 0, maxWireVersion: 21 },
  ...{ maxBsonObjectSize: 16_777_216, maxMessageSizeBytes: 48_000_000, maxWriteBatchSize: 100_000 },
};

/**
 * Speaks as much of MongoDB's protocol as the writing side of the read store asks for, on maps in memory: documents found by `_id` at once,
 * so that the server is not what a benchmark of its clients waits for. It refuses whatever else.
 * https://github.com/mongodb/specifications/blob/master/source/message/OP_MSG.md
 */
export function serveDocuments(): Server {
  const databases = new Map<string, Collections>();
  const databaseOf = (name: string) => databases.get(name) ?? databases.set(name, new Collections()).get(name)!;
  return createServer((socket) => {
    let received: Buffer = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
      while (received.length >= 4 && received.length >= received.readInt32LE(0)) {
        const message = received.subarray(0, received.readInt32LE(0));
        received = received.subarray(message.length);
        answer(socket, message, (command) => databaseOf(command['$db']).run(command));
      }
    });
  });
}

function answer(socket: Socket, message: Buffer, run: (command: Document) => Document): void {
  const id = message.readInt32LE(4);
  const isQuery = message.readInt32LE(12) === OP_QUERY;
  const reply = BSON.serialize(isQuery ? HELLO : run(commandOf(message)));
  const between = isQuery ? Buffer.alloc(20) : Buffer.alloc(5);
  if (isQuery) between.writeInt32LE(1, HEAD);
  const head = Buffer.alloc(HEAD);
  head.writeInt32LE(HEAD + between.length + reply.length, 0);
  head.writeInt32LE(id, 8);
  head.writeInt32LE(isQuery ? OP_REPLY : OP_MSG, 12);
  socket.write(Buffer.concat([head, between, reply]));
}

/** The command's document, and the sequences of documents beside it under their names. */
function commandOf(message: Buffer): Document {
  const command: Document = {};
  for (let at = HEAD + 4; at < message.length;) {
    const kind = message.readUInt8(at);
    const size = message.readInt32LE(at + 1);
    const section = message.subarray(at + 1, at + 1 + size);
    at += 1 + size;
    if (kind === 0) Object.assign(command, BSON.deserialize(section));
    else {
      const end = section.indexOf(0, 4);
      const documents: Document[] = [];
      for (let place = end + 1; place < size; place += section.readInt32LE(place))
        documents.push(BSON.deserialize(section.subarray(place, place + section.readInt32LE(place))));
      command[section.toString('utf8', 4, end)] = documents;
    }
  }
  return command;
}

class Collections {
  private readonly collections = new Map<string, { documents: Map<unknown, Document>; indexes: Document[] }>();

  run(command: Document): Document {
    const [name] = Object.keys(command);
    const target = command[name!];
    switch (name) {
      case 'hello':
      case 'ping':
      case 'endSessions':
        return HELLO;
      case 'createIndexes':
        this.of(target).indexes.push(...command['indexes']);
        return { ok: 1 };
      case 'listIndexes':
        return this.collections.has(target)
          ? cursor(this.of(target).indexes)
          : { ok: 0, code: 26, errmsg: 'ns does not exist' };
      case 'listCollections':
        return cursor([...this.collections.keys()].map((each) => ({ name: each, type: 'collection' })));
      case 'drop':
        return this.collections.delete(target) ? { ok: 1 } : { ok: 0, code: 26, errmsg: 'ns not found' };
      case 'find':
        return cursor(this.found(target, command['filter'] ?? {}).slice(0, command['limit'] || undefined));
      case 'insert':
        return this.each(command['documents'], (document) => this.insert(target, document));
      case 'update':
        return this.each(command['updates'], (update) => this.update(target, update));
      case 'delete':
        return this.each(command['deletes'], ({ q }) => {
          const found = this.found(target, q);
          for (const { _id } of found) this.of(target).documents.delete(_id);
          return { n: found.length };
        });
      default:
        return { ok: 0, code: 59, errmsg: `no such command: ${name}` };
    }
  }

  private each(writes: readonly Document[], write: (one: Document) => Document | null): Document {
    let [n, nModified] = [0, 0];
    const upserted: Document[] = [];
    const writeErrors: Document[] = [];
    writes.forEach((one, index) => {
      const done = write(one);
      if (done === null) writeErrors.push({ index, code: DUPLICATE_KEY, errmsg: 'E11000 duplicate key' });
      else {
        n += done['n'] ?? 1;
        nModified += done['nModified'] ?? 0;
        if (done['upserted'] !== undefined) upserted.push({ index, _id: done['upserted'] });
      }
    });
    return {
      ok: 1,
      n,
      nModified,
      ...(upserted.length > 0 && { upserted }),
      ...(writeErrors.length > 0 && { writeErrors }),
    };
  }

  private insert(name: string, document: Document): Document | null {
    const { documents } = this.of(name);
    if (documents.has(document['_id'])) return null;
    documents.set(document['_id'], document);
    return { n: 1 };
  }

  private update(name: string, { q, u, upsert }: Document): Document | null {
    const [found] = this.found(name, q);
    const changed = '$set' in u ? { ...found, ...u['$set'] } : { _id: q['_id'], ...u };
    if (!found && !upsert) return { n: 0 };
    if (!found && this.of(name).documents.has(q['_id'])) return null;
    this.of(name).documents.set(q['_id'], changed);
    return found ? { n: 1, nModified: 1 } : { n: 1, upserted: q['_id'] };
  }

  private found(name: string, filter: Document): readonly Document[] {
    const { documents } = this.of(name);
    const { _id: id, ...others } = filter;
    const ids: readonly unknown[] | null = id === undefined ? null : (id['$in'] ?? [id]);
    const there = ids === null ? [...documents.values()] : ids.flatMap((each) => documents.get(each) ?? []);
    return there.filter((document) => Object.entries(others).every(([field, wanted]) => fits(document[field], wanted)));
  }

  private of(name: string) {
    const known = this.collections.get(name);
    if (known) return known;
    const made = { documents: new Map<unknown, Document>(), indexes: [{ name: '_id_', key: { _id: 1 }, v: 2 }] };
    this.collections.set(name, made);
    return made;
  }
}

function fits(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return value === wanted;
  const { $lt: bound, ...others } = wanted as Document;
  if (Object.keys(others).length > 0) throw new RangeError(`no operators ${Object.keys(others).join()}`);
  return value !== undefined && (value as string) < bound;
}

const cursor = (firstBatch: readonly Document[]): Document => ({
  ok: 1,
  cursor: { id: BSON.Long.ZERO, ns: 'a.b', firstBatch },
});
