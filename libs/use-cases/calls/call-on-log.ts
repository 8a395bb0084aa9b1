import { contentMacs } from '#calls/recording/content-macs.js';
import { erasureDecider } from '#domain/erasure/index.js';
import { ConflictError } from '#domain/errors.js';
import { feedbackDecider } from '#domain/feedback/index.js';
import type { ImportedCallEvent } from '#domain/imported-call/index.js';
import { contentIn, type CallContent, type CallMetered } from '#domain/inference/index.js';
import type { JsonObject } from '#domain/json.js';
import { streamName } from '#domain/streams.js';
import { evolve, type Handlers } from '#log/projector/handlers.js';
import { StreamNotFoundError, type Position, type RecordedEvent } from '#ports/event-store/port.js';
import type { Application } from '#application/application.js';
import type { SecretKey } from '#primitives/secrets/index.js';
import { inferences, type InferenceDocument } from '#projections/inferences/projection.js';

type Imported = Extract<ImportedCallEvent, { readonly type: 'inference-imported.v1' }>;

/** A call and its content, as the log has them. */
export interface CallOnLog {
  readonly call: CallMetered['data'] | Imported['data'];
  /** null for a call that was interrupted. */
  readonly content: CallContent['data'] | Imported['data'] | null;
  /** The events of both, or the one that has both. */
  readonly events: readonly RecordedEvent[];
}

interface SoughtCall {
  readonly inferenceId: string;
  readonly workspaceId: string;
  /** The call's place according to a read model. It is checked, and saves a search of the whole log if it is right. */
  readonly position?: Position | undefined;
}

/** Events before and after a place that are searched first: a call and its content are appended together. */
const NEARBY = [8, 512];

/** Finds a call by its id in the log itself, whatever a read model says. @returns null if the log does not have it */
export async function callOnLog(application: Application, sought: SoughtCall): Promise<CallOnLog | null> {
  const call =
    (await at(application, sought)) ?? (await imported(application, sought)) ?? (await search(application, sought));
  if (call === null) return null;
  if (call.type === 'inference-imported.v1') return { call: call.data, content: call.data, events: [call] };
  const own = contentIn(call.data);
  if (own !== null) return { call: call.data, content: own, events: [call] };
  const { contentHmac } = call.data;
  const content = contentHmac === null ? null : await contentOf(application, sought, call.position);
  return { call: call.data, content: content && content.data, events: content ? [call, content] : [call] };
}

/**
 * The document of a call as its events on the log give it. What becomes training data is read so: neither a read model nor a content
 * that was changed can slip rows in.
 * @returns null if the log does not have the call
 * @throws ConflictError for a content that is not the one that the call was recorded with
 */
export async function documentOnLog(
  application: Application,
  secret: SecretKey,
  sought: SoughtCall,
): Promise<InferenceDocument | null> {
  const { inferenceId } = sought;
  const found = await callOnLog(application, sought);
  if (found === null) return null;
  await requireRecorded(application, secret, found);
  const later = await Promise.all(
    [feedbackDecider.category, erasureDecider.category].map((category) =>
      eventsOf(application, streamName(category, inferenceId)),
    ),
  );
  const events = [...found.events, ...later.flat().toSorted((a, b) => (a.position < b.position ? -1 : 1))];
  const document = events.reduce<JsonObject | null>((state, event) => evolve(HANDLERS, state, event), null);
  return document as InferenceDocument;
}

/** An erased content has none to compare. @throws ConflictError */
async function requireRecorded(
  application: Application,
  secret: SecretKey,
  { call, events }: CallOnLog,
): Promise<void> {
  const stored = events.find(({ type }) => type === 'call-content.v1') ?? events[0];
  if (!('contentHmac' in call) || call.contentHmac === null || !stored) return;
  // As it was stored: newer shapes have another text.
  const event = await application.openedEvents.eventAt(stored.position);
  if (event === null || event.data['erased'] === true) return;
  const content = event.data['content'] as JsonObject | undefined;
  if (content === undefined) return;
  const macs = await contentMacs(application.ports.objectStore, secret, content);
  if (macs === null || macs.includes(call.contentHmac)) return;
  throw new ConflictError(
    `the content of inference ${call.inferenceId} is not the one that its call was recorded with, so it cannot become a row: run npx ` +
      'anneal audit verify',
  );
}

const HANDLERS = inferences.on as Handlers<JsonObject | null>;

export const notOnLog = (id: string): ConflictError =>
  new ConflictError(
    `inference ${id} is not on the event log as the history has it: run npx anneal projections rebuild inferences`,
  );

/** The events of a stream; none if there is no such stream. */
export async function eventsOf({ ports }: Application, stream: string): Promise<readonly RecordedEvent[]> {
  try {
    return await Array.fromAsync(ports.eventStore.readStream(stream));
  } catch (error) {
    if (error instanceof StreamNotFoundError) return [];
    throw error;
  }
}

type Call = RecordedEvent & (CallMetered | Imported);

const isOf = ({ data }: RecordedEvent, { inferenceId, workspaceId }: SoughtCall): boolean =>
  data['inferenceId'] === inferenceId && data['workspaceId'] === workspaceId;

async function at({ ports }: Application, sought: SoughtCall): Promise<Call | null> {
  if (sought.position === undefined) return null;
  const event = await ports.eventStore.eventAt(sought.position).catch((error: unknown) => {
    if (error instanceof RangeError) return null;
    throw error;
  });
  const isCall = event?.type === 'call-metered.v1' || event?.type === 'inference-imported.v1';
  return isCall && isOf(event, sought) ? (event as unknown as Call) : null;
}

async function imported(application: Application, sought: SoughtCall): Promise<Call | null> {
  const events = await eventsOf(application, streamName('imported', sought.inferenceId));
  const found = events.find((event) => event.type === 'inference-imported.v1' && isOf(event, sought));
  return (found as unknown as Call | undefined) ?? null;
}

const search = async (application: Application, sought: SoughtCall): Promise<Call | null> =>
  (await found(application, 'call-metered.v1', sought, {})) as unknown as Call | null;

async function contentOf(
  application: Application,
  sought: SoughtCall,
  after: Position,
): Promise<(RecordedEvent & CallContent) | null> {
  const near = NEARBY.flatMap((limit) => [
    { after, limit, direction: 'forwards' as const },
    { after, limit, direction: 'backwards' as const },
  ]);
  for (const place of [...near, {}]) {
    const event = await found(application, 'call-content.v1', sought, place);
    if (event) return event as unknown as RecordedEvent & CallContent;
  }
  return null;
}

/** The first such event, in its newest shape. Events that are passed over are not decrypted. */
async function found(
  { storedEvents, ports }: Application,
  type: string,
  sought: SoughtCall,
  place: Parameters<typeof storedEvents.readAll>[0],
): Promise<RecordedEvent | null> {
  for await (const event of storedEvents.readAll({ ...place, filter: { types: [type] } }))
    if (isOf(event, sought)) return ports.eventStore.eventAt(event.position);
  return null;
}
