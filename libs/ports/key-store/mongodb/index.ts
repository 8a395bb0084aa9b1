import { Binary } from 'mongodb';
import { CoordinationConnection } from '#ports/coordination/mongodb/connection.js';
import { KeyStoreUnavailableError, type KeyStore, type StoredSecret } from '../port.js';

interface SecretDocument {
  readonly _id: string;
  readonly version: number;
  readonly bytes: Binary;
}

/** Secrets in a collection of their own (`coordination_content_keys`) of the database that has coordination. */
export class MongoKeyStore implements KeyStore {
  private readonly connection: CoordinationConnection;

  constructor(address: string) {
    this.connection = new CoordinationConnection(address);
  }

  async get(id: string): Promise<StoredSecret | null> {
    const found = await this.asking(() => this.secrets.findOne({ _id: id }));
    return found && { version: found.version, bytes: found.bytes.buffer };
  }

  async create(id: string, bytes: Uint8Array): Promise<void> {
    await this.asking(() => this.secrets.insertOne({ _id: id, version: 1, bytes: new Binary(bytes) }));
  }

  replace(id: string, version: number, bytes: Uint8Array | null): Promise<boolean> {
    return this.asking(async () => {
      if (bytes === null) return (await this.secrets.deleteOne({ _id: id, version })).deletedCount > 0;
      const update = { $set: { version: version + 1, bytes: new Binary(bytes) } };
      return (await this.secrets.updateOne({ _id: id, version }, update)).matchedCount > 0;
    });
  }

  ids(): Promise<readonly string[]> {
    return this.asking(async () => {
      const found = await this.secrets.find({}, { projection: { _id: 1 } }).toArray();
      return found.map(({ _id }) => _id);
    });
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  private get secrets() {
    return this.connection.collection<SecretDocument>('content_keys');
  }

  private async asking<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await this.connection.operation(ask);
    } catch (error) {
      throw new KeyStoreUnavailableError(`the keys of contents: ${(error as Error).message}`, { cause: error });
    }
  }
}
