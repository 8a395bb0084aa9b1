import { DamagedError } from '#domain/errors.js';
import type { ContentSummary } from '#domain/inference/index.js';
import type { EventReader } from '#ports/event-store/port.js';
import { ObjectNotFoundError, type ObjectStore } from '#ports/object-store/port.js';
import { DamagedObjectError, requireWhole } from '#ports/object-store/whole.js';
import type { InEvent, InObject } from '#projections/inferences/content.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import { decipheredFrom } from '#primitives/secrets/index.js';
import { ownTurn } from '#primitives/turns/own-turn.js';

/** A content, whole or cut. */
export type Content = Pick<ContentSummary, 'input' | 'output' | 'errorMessage'>;

interface Stores {
  readonly eventStore: Pick<EventReader, 'eventAt'>;
  readonly objectStore: Pick<ObjectStore, 'get' | 'stat'>;
}

/** The whole content of a call; null if it was deleted and only the record remains. @throws DamagedError */
export async function wholeContent(stores: Stores, document: InferenceDocument): Promise<Content | null> {
  const { whole, content } = document;
  if (whole === null) return content;
  if (isInObject(whole)) return parsedObject(stores, whole);
  const data = await eventData<{ readonly content: Content }>(stores, whole);
  return data && data.content;
}

/** The data of an event of the log; null if it was deleted. */
export const eventData = async <Data>({ eventStore }: Stores, { position }: InEvent): Promise<Data | null> =>
  ((await eventStore.eventAt(position))?.data ?? null) as Data | null;

export const isInObject = (whole: InEvent | InObject): whole is InObject => 'objectKey' in whole;

/** Before any part of it is shown. @throws DamagedError, ObjectNotFoundError */
async function requireWholeContent({ objectStore }: Stores, { objectKey: key, sha256, size }: InObject): Promise<void> {
  // An erased content is missing, and not damaged.
  if ((await objectStore.stat(key)) === null) throw new ObjectNotFoundError(key);
  try {
    await requireWhole(objectStore, { key, sha256, size });
  } catch (error) {
    if (!(error instanceof DamagedObjectError)) throw error;
    throw new DamagedError(
      'the stored content of this call is damaged: its sha256 differs from the recorded one; restore the object store from a backup',
      { cause: error },
    );
  }
}

async function parsedObject(stores: Stores, whole: InObject): Promise<Content | null> {
  const { objectKey, cipherKey } = whole;
  const text = await unlessDeleted(async () => {
    await requireWholeContent(stores, whole);
    return Buffer.concat(await Array.fromAsync(decipheredFrom(await stores.objectStore.get(objectKey), cipherKey)));
  });
  if (text === null) return null;
  await ownTurn();
  const json = text.toString();
  await ownTurn();
  const content = JSON.parse(json) as Content;
  await ownTurn();
  return content;
}

/** The members of an object's JSON, unparsed and in pieces. */
interface ContentText {
  /** `"input":...,"output":...` */
  readonly inputAndOutput: () => Promise<AsyncIterable<Uint8Array>>;
  /** A string or null, as JSON. */
  readonly errorMessage: string;
}

const TAIL_BYTES = 16 * 1024;
const LAST_MEMBER = ',"errorMessage":';

/**
 * The text of a large content, to be sent without parsing it.
 * @returns null if it was deleted, or does not end in an error message of a usual length
 * @throws DamagedError
 */
export async function contentText(stores: Stores, whole: InObject): Promise<ContentText | null> {
  const { objectStore } = stores;
  const { objectKey, size, cipherKey } = whole;
  const start = Math.max(0, size - TAIL_BYTES);
  const tail = await unlessDeleted(async () => {
    await requireWholeContent(stores, whole);
    const stored = await objectStore.get(objectKey, { start, end: size });
    return Buffer.concat(await Array.fromAsync(decipheredFrom(stored, cipherKey, start)));
  });
  const at = tail?.lastIndexOf(LAST_MEMBER) ?? -1;
  if (!tail || at < 0) return null;
  const errorMessage = tail.toString('utf8', at + LAST_MEMBER.length, tail.length - 1);
  // The last member of the outermost object ends at the last brace.
  if (!isTextOrNull(errorMessage)) return null;
  return {
    errorMessage,
    inputAndOutput: async () =>
      decipheredFrom(await objectStore.get(objectKey, { start: 1, end: start + at }), cipherKey, 1),
  };
}

function isTextOrNull(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return value === null || typeof value === 'string';
  } catch {
    return false;
  }
}

async function unlessDeleted<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ObjectNotFoundError) return null;
    throw error;
  }
}
