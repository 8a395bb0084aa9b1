import type { CallContent } from '#domain/inference/index.js';
import type { EventReader } from '#ports/event-store/port.js';
import { ObjectNotFoundError, type ObjectStore } from '#ports/object-store/port.js';
import type { InEvent, InferenceDocument, InObject } from '#projections/inferences/projection.js';
import { decipheredFrom } from '#primitives/secrets/index.js';
import { ownTurn } from '#primitives/turns/own-turn.js';
import type { Content } from './record.js';

interface Stores {
  readonly eventStore: Pick<EventReader, 'eventAt'>;
  readonly objectStore: Pick<ObjectStore, 'get'>;
}

/** The whole content of a call; null if it was deleted and only the record remains. */
export async function wholeContent(stores: Stores, document: InferenceDocument): Promise<Content | null> {
  const { whole, content } = document;
  if (whole === null) return content;
  if (isInObject(whole)) return parsedObject(stores, whole);
  const data = await eventData<CallContent['data']>(stores, whole);
  return data && data.content;
}

/** The data of an event of the log; null where it was deleted. */
export const eventData = async <Data>({ eventStore }: Stores, { position }: InEvent): Promise<Data | null> =>
  ((await eventStore.eventAt(position))?.data ?? null) as Data | null;

export const isInObject = (whole: InEvent | InObject): whole is InObject => 'objectKey' in whole;

async function parsedObject({ objectStore }: Stores, { objectKey, cipherKey }: InObject): Promise<Content | null> {
  const text = await unlessDeleted(async () =>
    Buffer.concat(await Array.fromAsync(decipheredFrom(await objectStore.get(objectKey), cipherKey))),
  );
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
 * The text of a large content, to be passed on without being parsed.
 * @returns null where it was deleted, or ends in something other than an error message of a usual length
 */
export async function contentText(
  { objectStore }: Stores,
  { objectKey, size, cipherKey }: InObject,
): Promise<ContentText | null> {
  const start = Math.max(0, size - TAIL_BYTES);
  const tail = await unlessDeleted(async () =>
    Buffer.concat(
      await Array.fromAsync(decipheredFrom(await objectStore.get(objectKey, { start, end: size }), cipherKey, start)),
    ),
  );
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
