import { MongoServerSelectionError, type Db, type MongoClient } from 'mongodb';

/** No connection could be made: a name that no DNS server resolves, a certificate that cannot be read, no server. */
export class NotConnectedError extends Error {
  override readonly name = 'NotConnectedError';
}

/**
 * A client that connects before its first step, and reconnects after a step that found no server. The driver alone does
 * not always: its monitor can wait forever for an answer on a connection that fell silent and was cut (seen with 7.8),
 * and then it finds no server until the process ends, however healthy the server is.
 */
export class ReconnectingClient {
  private connection: Promise<void> | null = null;
  private closing: Promise<void> = Promise.resolve();

  constructor(private readonly client: MongoClient) {}

  db(name: string): Db {
    return this.client.db(name);
  }

  /** @throws NotConnectedError, or the driver's error of the step */
  async run<T>(step: () => Promise<T>): Promise<T> {
    const connection = (this.connection ??= this.connect());
    try {
      await connection;
      return await step();
    } catch (error) {
      if (error instanceof MongoServerSelectionError && this.connection === connection) {
        this.connection = null;
        this.closing = this.client.close().catch(() => undefined);
      }
      throw error;
    }
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private async connect(): Promise<void> {
    await this.closing;
    try {
      await this.client.connect();
    } catch (error) {
      this.connection = null;
      throw new NotConnectedError((error as Error).message, { cause: error });
    }
  }
}
