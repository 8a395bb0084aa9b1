import {
  MongoAPIError,
  MongoBulkWriteError,
  MongoError,
  MongoServerError,
  type Db,
  type MongoClient,
  type MongoClientOptions,
} from 'mongodb';
import { within } from '#primitives/waiting/within.js';
import { addressProblem, redacted } from '#primitives/mongodb/address.js';
import { durableClient } from '#primitives/mongodb/durable-client.js';
import { NotConnectedError, ReconnectingClient } from '#primitives/mongodb/reconnecting-client.js';
import { ReadStoreUnavailableError } from '../port.js';

const DEFAULT_DATABASE = 'anneal';

/** Milliseconds. The driver retries safe operations once, so a step has a deadline of its own as well. */
const SELECTING_A_SERVER = 5_000;
const CONNECTING = 5_000;
const SILENT_SOCKET = 20_000;
const REPLICATING = 10_000;
/** Default limit; an opener may set a shorter one. */
const WHOLE_STEP = 30_000;

const DEFAULTS: MongoClientOptions = {
  appName: 'anneal',
  serverSelectionTimeoutMS: SELECTING_A_SERVER,
  connectTimeoutMS: CONNECTING,
  socketTimeoutMS: SILENT_SOCKET,
  waitQueueTimeoutMS: SELECTING_A_SERVER,
};

export interface MongoConnectionOptions {
  /** `mongodb://` or `mongodb+srv://`, with the driver's usual options; its path names the database (default: `anneal`). */
  readonly address: string;
  /** Milliseconds for a step, including the driver's retries. */
  readonly deadlineMs?: number;
}

/** Options of the driver by which a query ends with its step, here and on the server; the driver would otherwise send it again. */
export interface QueryLimits {
  readonly signal: AbortSignal;
  readonly maxTimeMS: number;
}

/** The read store's connection. Every step settles within a deadline. */
export class MongoConnection {
  readonly database: Db;
  private readonly client: ReconnectingClient;
  private readonly deadlineMs: number;
  private readonly connect: (options: MongoClientOptions) => MongoClient;

  /** @throws RangeError for an invalid address, which the message leaves out: it may hold a password. */
  constructor({ address, deadlineMs = WHOLE_STEP }: MongoConnectionOptions) {
    try {
      this.connect = (options) => durableClient(address, REPLICATING, options);
      this.client = new ReconnectingClient(this.connect(DEFAULTS));
      this.database = this.client.db(databaseIn(address));
    } catch (error) {
      throw new RangeError(
        `the read store has an address that MongoDB's driver does not take: ${addressProblem(error)}`,
      );
    }
    this.deadlineMs = deadlineMs;
  }

  /** @throws ReadStoreUnavailableError when the server is down, accepts no writes, or does not answer in time */
  async attempt<T>(step: (limits: QueryLimits) => Promise<T>): Promise<T> {
    const late = () => new ReadStoreUnavailableError(`read store: no answer within ${this.deadlineMs / 1000} s`);
    const over = new AbortController();
    const limits = { signal: over.signal, maxTimeMS: this.deadlineMs };
    try {
      return await within(
        this.deadlineMs,
        this.client.run(() => step(limits)),
        late,
      );
    } catch (error) {
      over.abort();
      if (isUnavailable(error))
        throw new ReadStoreUnavailableError(`read store: ${redacted((error as Error).message)}`, { cause: error });
      throw error;
    }
  }

  /** For a step that may take hours, over a connection of its own, whose silence does not end it. @throws the driver's errors */
  async patiently<T>(signal: AbortSignal, step: (database: Db) => Promise<T>): Promise<T> {
    const client = this.connect({ ...DEFAULTS, socketTimeoutMS: 0 });
    const close = () => void client.close();
    signal.addEventListener('abort', close);
    try {
      return await step(client.db(this.database.databaseName));
    } finally {
      signal.removeEventListener('abort', close);
      await client.close();
    }
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}

/** A list of hosts is not a URL, so the path is the part between the hosts and the options. */
function databaseIn(address: string): string {
  const path = /^[^:]+:\/\/[^/?]*\/([^?]*)/.exec(address)?.[1] ?? '';
  return path === '' ? DEFAULT_DATABASE : decodeURIComponent(path);
}

/**
 * Codes of https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml that concern the server's state,
 * not the query: HostUnreachable, HostNotFound, NetworkTimeout, ShutdownInProgress, LockTimeout, WriteConcernFailed,
 * PrimarySteppedDown, NetworkInterfaceExceededTimeLimit, FailedToSatisfyReadPreference,
 * ReadConcernMajorityNotAvailableYet, MaxTimeMSExpired, ExceededTimeLimit, Unauthorized, AuthenticationFailed,
 * CursorNotFound, QueryPlanKilled, NotWritablePrimary, Interrupted..., OutOfDiskSpace, WriteConflict, InternalError,
 * ClientDisconnect, ObjectIsBusy, InterruptedDueToStorageChange, TemporarilyUnavailable, ReauthenticationRequired,
 * ClientMarkedKilled; 8000 is Atlas's own.
 */
const STATES: ReadonlySet<number | string | undefined> = new Set([
  6, 7, 89, 91, 24, 64, 189, 202, 133, 134, 50, 262, 13, 18, 43, 175, 10107, 13435, 13436, 10058, 11600, 11601, 11602,
  237, 14031, 9001, 317, 358, 384, 112, 1, 279, 314, 355, 365, 391, 46841, 8000,
]);

export function isUnavailable(error: unknown): boolean {
  if (error instanceof NotConnectedError) return true;
  // Not from a server: the driver uses this class also for its own errors that abort a bulk write.
  if (error instanceof MongoBulkWriteError && error.code === undefined) return true;
  if (error instanceof MongoServerError)
    return (
      // Servers give every refusal a code: without one, the server itself has failed (mongo-java-server's "Unknown error").
      error.code === undefined ||
      STATES.has(error.code) ||
      error.hasErrorLabel('RetryableWriteError') ||
      error.hasErrorLabel('RetryableError')
    );
  if (isOfSocket(error)) return true;
  // The driver's remaining errors are outages: a failed network, no server to select, a pool that was cleared or closed.
  return error instanceof MongoError && !(error instanceof MongoAPIError && !isClosed(error));
}

const isClosed = (error: MongoError): boolean =>
  ['MongoNotConnectedError', 'MongoTopologyClosedError', 'MongoClientClosedError'].includes(error.name);

/** The driver lets some of Node's own errors through, such as that of a write to a connection that the server just ended. */
function isOfSocket(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return (
    typeof code === 'string' &&
    /^(EPIPE|E(CONN|HOST|NET)(RESET|REFUSED|ABORTED|UNREACH|DOWN)|ETIMEDOUT|ERR_S(TREAM|OCKET)_\w+)$/.test(code)
  );
}
