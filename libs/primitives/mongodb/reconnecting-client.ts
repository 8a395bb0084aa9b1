import { MongoServerSelectionError, type Db, type MongoClient } from 'mongodb';

/** No connection could be made: a name that no DNS server resolves, a certificate that cannot be read, no server. */
export class NotConnectedError extends Error {
  override readonly name = 'NotConnectedError';
}

/** An election takes 10 to 12 s where a primary fell silent. */
const ELECTION_MS = 20_000;

/**
 * A client that connects before its first step, and reconnects after a step that found no server. The driver alone does
 * not always: its monitor can wait forever for an answer on a connection that fell silent and was cut (seen with 7.8),
 * and then it finds no server until the process ends, however healthy the server is. While members answer and an
 * election may last, it waits: a new client would first have to ask DNS for the members that this one knows.
 */
export class ReconnectingClient {
  private connection: Promise<void> | null = null;
  private closing: Promise<void> = Promise.resolve();
  private withoutPrimarySince: number | null = null;

  /** @param now milliseconds of a clock that only goes on */
  constructor(
    private readonly client: MongoClient,
    private readonly now: () => number = () => performance.now(),
  ) {}

  db(name: string): Db {
    return this.client.db(name);
  }

  /** @throws NotConnectedError, or the driver's error of the step */
  async run<T>(step: () => Promise<T>): Promise<T> {
    const connection = (this.connection ??= this.connect());
    try {
      await connection;
      const done = await step();
      this.withoutPrimarySince = null;
      return done;
    } catch (error) {
      if (error instanceof MongoServerSelectionError && this.connection === connection && !this.mayElect(error)) {
        this.connection = this.withoutPrimarySince = null;
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

  private mayElect({ reason }: MongoServerSelectionError): boolean {
    const members = Array.from(reason?.servers.values() ?? []);
    if (members.every(({ type }) => type === 'Unknown')) return false;
    this.withoutPrimarySince ??= this.now();
    return this.now() - this.withoutPrimarySince < ELECTION_MS;
  }
}
