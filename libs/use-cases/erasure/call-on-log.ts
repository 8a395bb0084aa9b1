import type { ImportedCallEvent } from '#domain/imported-call/index.js';
import type { CallContent, CallMetered } from '#domain/inference/index.js';
import { streamName } from '#domain/streams.js';
import { StreamNotFoundError, type Position, type RecordedEvent } from '#ports/event-store/port.js';
import type { Application } from '#application/application.js';

type Imported = Extract<ImportedCallEvent, { readonly type: 'inference-imported.v1' }>;

/** A call and its content, as the log has them. */
export interface CallOnLog {
  readonly call: CallMetered['data'] | Imported['data'];
  /** null for a call that was interrupted. */
  readonly content: CallContent['data'] | Imported['data'] | null;
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
  if (call.type === 'inference-imported.v1') return { call: call.data, content: call.data };
  const { contentHmac } = call.data;
  const content = contentHmac === null ? null : await contentOf(application, sought, call.position);
  return { call: call.data, content };
}

type Call = Pick<RecordedEvent, 'position'> & (CallMetered | Imported);

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

async function imported({ ports }: Application, sought: SoughtCall): Promise<Call | null> {
  try {
    for await (const event of ports.eventStore.readStream(streamName('imported', sought.inferenceId)))
      if (event.type === 'inference-imported.v1' && isOf(event, sought)) return event as unknown as Call;
  } catch (error) {
    if (!(error instanceof StreamNotFoundError)) throw error;
  }
  return null;
}

const search = async (application: Application, sought: SoughtCall): Promise<Call | null> =>
  (await found(application, 'call-metered.v1', sought, {})) as unknown as Call | null;

async function contentOf(
  application: Application,
  sought: SoughtCall,
  after: Position,
): Promise<CallContent['data'] | null> {
  const near = NEARBY.flatMap((limit) => [
    { after, limit, direction: 'forwards' as const },
    { after, limit, direction: 'backwards' as const },
  ]);
  for (const place of [...near, {}]) {
    const event = await found(application, 'call-content.v1', sought, place);
    if (event) return (event as unknown as CallContent).data;
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
