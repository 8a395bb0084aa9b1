import { contextOf } from './seal-context.js';
import type { JsonObject } from '#domain/json.js';
import type { SealedText } from '#domain/inference/index.js';
import type { ContentKey, ContentKeys } from '#ports/key-store/content-keys.js';
import { KeyStoreUnavailableError } from '#ports/key-store/port.js';
import { sealText, unsealText } from '#ports/key-store/sealed.js';
import {
  EventStoreUnavailableError,
  type EventReader,
  type EventStore,
  type EventToAppend,
  type RecordedEvent,
} from './port.js';
import { joined, MappedReader } from './wrappers.js';

interface Sealing {
  /** The member of the data that has the fields. Absent: the data themselves. */
  readonly within?: string;
  /** The fields that are encrypted. */
  readonly fields: readonly string[];
  /** The texts once their key was destroyed. */
  readonly blank: JsonObject;
  /** Whether they are encrypted even if contents are to be stored in plain text. */
  readonly always?: true;
}

const NO_CONTENT = { input: {}, output: null, errorMessage: null };

const CONTENT = ['content', 'subject', 'thoughts', 'leastCertain', 'asRow'];

/** Every event that contains or quotes the content of a call or rows of a dataset, or identifies a user. */
const SEALINGS: Readonly<Record<string, Sealing>> = {
  'call-metered.v1': { fields: CONTENT, blank: { content: NO_CONTENT } },
  'call-content.v1': { fields: CONTENT, blank: { content: NO_CONTENT } },
  'inference-imported.v1': {
    fields: ['content', 'leastCertain', 'user', 'metadata', 'origin', 'digest'],
    blank: { content: NO_CONTENT, user: null, metadata: null, origin: {}, digest: '' },
  },
  'feedback-given.v1': {
    fields: ['correctedOutput', 'newLabels', 'notes'],
    blank: { correctedOutput: null, notes: null },
  },
  'review-skipped.v1': { fields: ['reason'], blank: { reason: null } },
  'dataset-version-ready.v1': { fields: ['leftOutReasons'], blank: { leftOutReasons: [] } },
  'dataset-version-failed.v1': { fields: ['reason', 'rowErrors'], blank: { reason: 'erased', rowErrors: null } },
  'generation-job-requested.v1': {
    ...{ within: 'rows', fields: ['domainDescription', 'prompt', 'instruction', 'classifiedExamples'] },
    blank: { domainDescription: null, prompt: null, instruction: null, classifiedExamples: [] },
  },
  'generation-job-failed.v1': { fields: ['reason'], blank: { reason: 'erased' } },
  'user-registered.v1': { fields: ['email'], blank: { email: null }, always: true },
};

/** Reads a log and decrypts its contents; content whose key was destroyed is empty and marked `erased`. */
export class OpeningReader extends MappedReader {
  constructor(
    stored: EventReader,
    private readonly keys: ContentKeys,
  ) {
    super(stored);
  }

  override async close(): Promise<void> {
    await super.close();
    await this.keys.close();
  }

  protected mapped(event: RecordedEvent): RecordedEvent | Promise<RecordedEvent> {
    return isSealed(event) ? this.opened(event) : event;
  }

  private async opened(event: RecordedEvent): Promise<RecordedEvent> {
    const { within, fields, blank } = SEALINGS[event.type]!;
    const { data } = event;
    const said = await unlessUnavailable(() => openSealed(this.keys, event));
    const opened = said ?? { ...blank, erased: true };
    const whole = within === undefined ? opened : nested(within, data, opened);
    // Without a copy's members V8 makes it a dictionary, which all its readers pay for: they have no value instead.
    const unsealed: JsonObject = {
      ...data,
      sealed: undefined,
      ...whole,
      contentKey: (data['sealed'] as JsonObject)['key'],
    };
    // Sealing added the object of a content.
    return { ...event, data: fields.includes('content') ? { ...unsealed, object: undefined } : unsealed };
  }
}

/**
 * The same with writes: contents are encrypted before they are stored, each under its own key; call contents only if
 * configured.
 */
export function sealingStore(store: EventStore, keys: ContentKeys, seals: boolean): EventStore {
  const isToSeal = ({ type, data }: EventToAppend): boolean =>
    Object.hasOwn(SEALINGS, type) &&
    (seals || SEALINGS[type]!.always === true) &&
    SEALINGS[type]!.fields.some((field) => field in holderOf(SEALINGS[type]!, data));
  const appendSealed: EventStore['append'] = async (stream, expected, events, inPlaceOf) => {
    const sealed: EventToAppend[] = [];
    for (const event of events) {
      if (!isToSeal(event)) {
        sealed.push(event);
        continue;
      }
      const key = keys.next();
      sealed.push(sealWith(key instanceof Promise ? await unlessUnavailable(() => key) : key, event));
    }
    return store.append(stream, expected, sealed, inPlaceOf);
  };
  const changed: Pick<EventStore, 'append' | 'close' | 'held'> = {
    append: (stream, expected, events, inPlaceOf) =>
      events.some(isToSeal)
        ? appendSealed(stream, expected, events, inPlaceOf)
        : store.append(stream, expected, events, inPlaceOf),
    // Contents that are not encrypted are in events of their own, which can be deleted.
    ...(seals && store.held && { held: store.held }),
    // The store and the keys are closed by their opener.
    close: async () => undefined,
  };
  return Object.assign(joined(new OpeningReader(store, keys), store), changed);
}

/**
 * The encrypted fields of a sealed event; null if its key was destroyed.
 * @throws KeyStoreUnavailableError
 */
export async function openSealed(
  keys: Pick<ContentKeys, 'get'>,
  event: Pick<EventToAppend, 'type' | 'data'>,
): Promise<JsonObject | null> {
  const { sealed } = event.data as JsonObject & { readonly sealed: SealedText };
  const key = await keys.get(sealed.key);
  const text = key && unsealEvent(key, event);
  return text === null ? null : (JSON.parse(text) as JsonObject);
}

/** JSON of the encrypted fields of a sealed event; null where the key is not its own. */
export function unsealEvent(key: Uint8Array, event: Pick<EventToAppend, 'type' | 'data'>): string | null {
  const { sealed } = event.data as JsonObject & { readonly sealed: SealedText };
  return unsealText(key, sealed.text, contextOf(event));
}

/** Whether a log contains anything encrypted. */
export async function holdsSealed(log: Pick<EventReader, 'readAll'>): Promise<boolean> {
  for await (const event of log.readAll({ filter: { types: Object.keys(SEALINGS) } })) if (isSealed(event)) return true;
  return false;
}

const holderOf = ({ within }: Sealing, data: JsonObject): JsonObject =>
  within === undefined ? data : (data[within] as JsonObject);

/** Decrypted fields in their place. `erased` stays beside it. */
function nested(within: string, rest: JsonObject, { erased, ...fields }: JsonObject): JsonObject {
  return { [within]: { ...(rest[within] as JsonObject), ...fields }, ...(erased !== undefined && { erased }) };
}

const isSealed = ({ data }: RecordedEvent): boolean => data['sealed'] !== undefined;

function sealWith({ id, key }: ContentKey, event: EventToAppend): EventToAppend {
  const { objectKey, sha256, size } = (event.data['content'] ?? {}) as JsonObject;
  // An audit checks the objects that events name.
  const object = typeof objectKey === 'string' ? { object: { objectKey, sha256, size } } : {};
  // Members without a value are not stored. One copy is several times as fast as an object that gets its members one by one.
  const data: Record<string, JsonObject[string]> = { ...event.data, ...object, sealed: undefined };
  const said: Record<string, JsonObject[string]> = {};
  const { within, fields } = SEALINGS[event.type]!;
  const holder = within === undefined ? data : (data[within] = { ...(data[within] as JsonObject) });
  for (const name of fields)
    if (name in holder) {
      said[name] = holder[name];
      holder[name] = undefined;
    }
  const sealed: SealedText = { key: id, text: sealText(key, JSON.stringify(said), contextOf(event)) };
  data['sealed'] = sealed;
  return { ...event, data };
}

async function unlessUnavailable<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof KeyStoreUnavailableError)) throw error;
    throw new EventStoreUnavailableError(error.message, { cause: error });
  }
}
