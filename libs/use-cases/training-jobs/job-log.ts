import type { JobLogEvent, LogLine } from '#domain/job-log/index.js';
import { streamName } from '#domain/streams.js';
import { StreamNotFoundError, type EventStore } from '#ports/event-store/port.js';

/** `id` is the number of the line, from 1. */
export type NumberedLine = LogLine & { readonly id: string };

export interface JobLogPage {
  readonly lines: readonly NumberedLine[];
  /** Lines of the whole log. */
  readonly total: number;
}

/** Lines of a job's log after the one numbered `after`, read from the log stream itself, which has few blocks. */
export async function readJobLog(store: EventStore, jobId: string, after: number, limit: number): Promise<JobLogPage> {
  const stream = streamName('joblog', jobId);
  try {
    const last = await block(store, stream, null);
    const total = last.data.first + last.data.lines.length - 1;
    const lines: NumberedLine[] = [];
    if (after >= total) return { lines, total };
    const fromRevision = await revisionOf(store, stream, after + 1, last.revision);
    for await (const event of store.readStream(stream, { fromRevision })) {
      for (const [index, line] of (event.data as JobLogEvent['data']).lines.entries()) {
        const id = (event.data as JobLogEvent['data']).first + index;
        if (id > after && lines.length < limit) lines.push({ id: String(id), ...line });
      }
      if (lines.length === limit) break;
    }
    return { lines, total };
  } catch (error) {
    if (error instanceof StreamNotFoundError) return { lines: [], total: 0 };
    throw error;
  }
}

/** The block that holds a line, by halving. */
async function revisionOf(store: EventStore, stream: string, line: number, lastRevision: number): Promise<number> {
  let [low, high] = [0, lastRevision];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((await block(store, stream, middle)).data.first <= line) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Reads one block; null for the last one. */
async function block(store: EventStore, stream: string, revision: number | null) {
  const options = revision === null ? { direction: 'backwards' as const } : { fromRevision: revision };
  for await (const event of store.readStream(stream, { ...options, limit: 1 }))
    return { revision: event.revision, data: event.data as JobLogEvent['data'] };
  throw new StreamNotFoundError(stream);
}
