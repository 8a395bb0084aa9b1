import { randomUUID } from 'node:crypto';
import { v7 as uuid7 } from 'uuid';
import { expectedAfter, type EventStore, type EventToAppend } from '#ports/event-store/port.js';

/** The n-th event of its kind. */
export type MakeEvent = (n: number) => Pick<EventToAppend, 'type' | 'data'>;

/** Writes many events of what benchmarks take in: projects, and recorded calls. */
export class EventWriter {
  private readonly id = randomUUID();
  private readonly revisions = new Map<string, number>();
  private count = 0;

  constructor(private readonly log: Pick<EventStore, 'append'>) {}

  /** Appends a number of things, one event of each kind, with one append per kind. @returns the last position */
  async append(category: string, things: number, ...kinds: readonly MakeEvent[]): Promise<string> {
    const from = this.count;
    this.count += things;
    const positions = await Promise.all(
      kinds.map(async (make, kind) => {
        const stream = `${category}-${this.id}${kind}`;
        const revision = this.revisions.get(stream) ?? -1;
        const events = Array.from({ length: things }, (_, n) => ({ id: randomUUID(), ...make(from + n), metadata }));
        const result = await this.log.append(stream, expectedAfter(revision), events);
        this.revisions.set(stream, result.revision);
        return result.position;
      }),
    );
    return positions.sort().at(-1)!;
  }
}

const who = randomUUID();
const metadata = {
  workspaceId: who,
  actor: `user:${who}`,
  correlationId: who,
  causationId: who,
  commandId: who,
  occurredAt: '2030-01-02T03:04:05.678Z',
};

export const aProject: MakeEvent = (n) => ({
  type: 'project-created.v1',
  data: {
    projectId: uuid7(),
    workspaceId: who,
    name: `project ${n}`,
    description: 'what it is about, in a sentence',
    createdAt: new Date(Date.UTC(2030, 0, 1) + n).toISOString(),
  },
});

/** The two events of recorded calls, which name the same ids in the same order. */
export function aCall(): readonly MakeEvent[] {
  const ids = new Map<number, string>();
  const id = (n: number) => ids.get(n) ?? ids.set(n, uuid7()).get(n)!;
  return [
    (n) => ({
      type: 'call-metered.v1',
      data: {
        inferenceId: id(n),
        workspaceId: who,
        teamId: who,
        userId: who,
        keyId: who,
        modelId: `model-${n % 5}`,
        baseModel: 'base',
        trainingJobId: n % 2 === 0 ? `job-${n % 10}` : null,
        projectId: null,
        task: 'schema',
        source: 'api',
        format: 'native',
        status: 'success',
        errorType: null,
        latencyMs: 1.2,
        ttftMs: null,
        inputTokens: 20,
        outputTokens: 0,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        price: { input: '100', output: '0', cacheRead: '0', cacheWrite: '0' },
        costPicodollars: '2000',
        stored: true,
        contentHmac: 'f'.repeat(64),
        at: new Date(Date.UTC(2030, 0, 1) + n).toISOString(),
      },
    }),
    (n) => ({
      type: 'call-content.v1',
      data: {
        inferenceId: id(n),
        workspaceId: who,
        content: {
          input: { text: 'Please refund order 4711, which Ada Lovelace placed in London last Tuesday.' },
          output: { entities: { person: [{ text: 'Ada Lovelace', start: 32, end: 44, confidence: 0.97 }] } },
          errorMessage: null,
        },
        // One call in ten is doubtful, and stands in the queue for reviews.
        leastCertain: { label: 'person', confidence: n % 10 === 0 ? 0.5 : 0.97 },
      },
    }),
  ];
}
