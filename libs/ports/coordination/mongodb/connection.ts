import { MongoError, MongoServerError, type Collection, type MongoClient } from 'mongodb';
import { within } from '#primitives/waiting/within.js';
import { addressProblem } from '#primitives/mongodb/address.js';
import { durableClient } from '#primitives/mongodb/durable-client.js';
import { ReconnectingClient } from '#primitives/mongodb/reconnecting-client.js';
import { CoordinationUnavailableError } from '../port.js';

/** Limits of one request to the server and of a whole operation, which may need several requests. */
const QUESTION_MS = 4_000;
const OPERATION_MS = 5_000;
/** Shorter than a question, so that its answer is heard. */
const REPLICATING_MS = 2_500;
const POOL = 50;

interface Named {
  readonly _id: string;
}

/** A connection to the database of an address. Every request settles within a deadline. */
export class CoordinationConnection {
  private readonly client: ReconnectingClient;
  private readonly database: string;

  /**
   * Sends nothing to the server, which may be down; the client reconnects forever.
   * @throws TypeError naming the fault of the address
   */
  constructor(address: string) {
    this.client = new ReconnectingClient(clientOf(address));
    this.database = databaseOf(address);
  }

  collection<T extends Named>(name: string): Collection<T> {
    return this.client.db(this.database).collection<T>(`coordination_${name}`);
  }

  /** @throws CoordinationUnavailableError for any failure, timeouts included */
  async operation<T>(steps: () => Promise<T>): Promise<T> {
    try {
      return await within(OPERATION_MS, this.client.run(steps), () => new Error(`no answer within ${OPERATION_MS} ms`));
    } catch (error) {
      throw new CoordinationUnavailableError(`coordination in MongoDB: ${told(error)}`, { cause: error });
    }
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

const TRIES = 50;

/**
 * Repeats a read-and-write step until no other writer came in between.
 * @param step returns undefined when one did
 */
export async function untilDecided<T>(step: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const decided = await step();
    if (decided !== undefined) return decided;
  }
  throw new Error(`other writers changed the document at each of ${TRIES} tries`);
}

/** @returns false when another writer created the document first */
export async function madeFirst(insert: () => Promise<unknown>): Promise<boolean> {
  try {
    await insert();
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}

export const isDuplicate = (error: unknown): boolean => error instanceof MongoServerError && error.code === 11000;

/**
 * A change counts once a majority has it, and so it survives the loss of any one server. On a replica set, which has
 * sessions, the client repeats a write whose answer was lost, and the server makes it once; elsewhere that is an error
 * here.
 */
function clientOf(address: string): MongoClient {
  try {
    return durableClient(address, REPLICATING_MS, {
      appName: 'anneal-coordination',
      serverSelectionTimeoutMS: QUESTION_MS,
      connectTimeoutMS: QUESTION_MS,
      socketTimeoutMS: QUESTION_MS,
      waitQueueTimeoutMS: QUESTION_MS,
      maxPoolSize: POOL,
    });
  } catch (error) {
    throw new TypeError(`the address of coordination cannot be used: ${addressProblem(error)}`);
  }
}

/** The database that the address names. Without one, the client would silently use `test`. */
function databaseOf(address: string): string {
  const [, name = ''] = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]*)/.exec(address) ?? [];
  const database = decodeURIComponent(name);
  if (!/^[^/\\. "$*<>:|?\0]{1,63}$/.test(database))
    throw new TypeError('the address of coordination names no database: give mongodb://HOST:27017/DATABASE');
  return database;
}

/** The server's name for an error. Its message may hold a command's values. */
function told(error: unknown): string {
  if (error instanceof MongoServerError) return error.codeName ?? `error ${error.code ?? 'without a code'}`;
  if (error instanceof MongoError) return `${error.name}: ${error.message}`;
  return (error as Error).message;
}
