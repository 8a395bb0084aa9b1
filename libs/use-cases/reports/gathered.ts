import type { Application } from '#application/application.js';
import type { EvaluationEvent } from '#domain/evaluation/index.js';
import type { DomainEvent } from '#domain/decider.js';
import { categoryOf, type StreamCategory } from '#domain/streams.js';
import { upcasters } from '#domain/upcasters.js';
import type { RecordedEvent } from '#ports/event-store/port.js';
import type { Recorded } from '../events/log-reader.js';
import { Acts } from './acts.js';
import { CallsLogged } from './calls-logged.js';
import { cited, type ReportEvent, type ReportKind } from './report.js';

export interface ReportScope {
  readonly kinds: readonly ReportKind[];
  readonly teamId: string;
  readonly workspaceId: string;
  /** Position of the last event that is taken in; null: the log is empty. */
  readonly until: string | null;
  /** ISO 8601, inclusive: the acts that are counted. */
  readonly period: { readonly since: string | null; readonly until: string | null };
}

/** Categories whose events of the workspace are kept whole. Others are only counted. */
const KEPT: ReadonlySet<string> = new Set<StreamCategory>([
  ...(['team', 'key', 'model', 'job', 'dataset', 'evaluation', 'improvement', 'distillation'] as const),
  ...(['retention', 'expiry', 'incident', 'session', 'proposal'] as const),
]);

/** Names, roles and keys, which every report gives. */
const PEOPLE = ['team', 'user', 'key'] as const;
const OF_MODELS = [
  ...(['model', 'job', 'dataset', 'evaluation', 'improvement', 'distillation'] as const),
  ...(['incident', 'proposal'] as const),
];
const OF_CALLS = ['metered', 'feedback'] as const;

/** The categories that each kind of report reads; null: all, since it counts every act. */
const READ_FOR: Readonly<Record<ReportKind, readonly StreamCategory[] | null>> = {
  card: [...PEOPLE, ...OF_MODELS, ...OF_CALLS],
  logs: [
    ...([...PEOPLE, ...OF_CALLS, 'erasure', 'imported', 'access'] as const),
    ...(['retention', 'expiry', 'job', 'dataset', 'evaluation'] as const),
  ],
  access: null,
  incidents: [...PEOPLE, 'incident'],
};

/** Events of which there are many, and of which no report says anything. */
const UNSAID: ReadonlySet<string> = new Set([
  ...['training-epoch-completed.v1', 'training-checkpoint-saved.v1', 'training-checkpoint-deleted.v1'],
  ...['dataset-version-claimed.v1', 'dataset-claims-released.v1', 'key-origin-seen.v1'],
]);

/** The events of a workspace that reports rest on, and the counts of all others, by one pass over what the reports read of the log. */
export class Gathered {
  readonly acts: Acts;
  readonly calls = new CallsLogged();
  /** Registrations of all users, by id. */
  readonly registered = new Map<string, ReportEvent>();
  private readonly kept = new Map<string, RecordedEvent[]>();
  /** Streams that belong to the workspace: workers' events in them may name none. */
  private readonly own = new Set<string>();

  private constructor(private readonly scope: ReportScope) {
    this.acts = new Acts(scope.period);
  }

  static async of(application: Application, scope: ReportScope, signal?: AbortSignal): Promise<Gathered> {
    const gathered = new Gathered(scope);
    if (scope.until === null) return gathered;
    const read = scope.kinds.map((kind) => READ_FOR[kind]);
    const filter = { categories: [...new Set(read.flatMap((categories) => categories ?? []))] };
    // As they are stored: contents stay encrypted, since no report quotes them.
    for await (const event of application.storedEvents.readAll(read.includes(null) ? {} : { filter })) {
      if (event.position > scope.until) break;
      signal?.throwIfAborted();
      gathered.take(event);
    }
    return gathered;
  }

  /** Kept events of a category, in the order of the log. */
  events<Event extends DomainEvent = RecordedEvent>(category: StreamCategory): readonly Recorded<Event>[] {
    return (this.kept.get(category) ?? []) as readonly RecordedEvent[] as readonly Recorded<Event>[];
  }

  private take(event: RecordedEvent): void {
    const { type, stream, data } = event;
    if (type === 'user-registered.v1') this.registered.set(data['userId'] as string, cited(event));
    const category = categoryOf(stream);
    const isTeam = stream === `team-${this.scope.teamId}`;
    if (!isTeam && !this.isOwn(event)) return;
    if (!isTeam || data['workspaceId'] === this.scope.workspaceId) this.acts.take(event);
    this.calls.take(event);
    if (!KEPT.has(category) || UNSAID.has(type)) return;
    const list = this.kept.get(category) ?? [];
    list.push(slim(upcasters.upcast(event)));
    this.kept.set(category, list);
  }

  private isOwn({ stream, metadata, data }: RecordedEvent): boolean {
    const { workspaceId } = this.scope;
    const isOwn =
      metadata.workspaceId === workspaceId ||
      data['workspaceId'] === workspaceId ||
      (metadata.workspaceId === null && this.own.has(stream));
    if (isOwn && KEPT.has(categoryOf(stream))) this.own.add(stream);
    return isOwn;
  }
}

/** Without what is large and is not reported. */
function slim(event: RecordedEvent): RecordedEvent {
  if (event.type !== 'evaluation-completed.v1') return event;
  const {
    predictions: _,
    metrics,
    ...data
  } = event.data as unknown as Extract<EvaluationEvent, { type: 'evaluation-completed.v1' }>['data'];
  const { confusions: _confusions, calibration: _calibration, ...kept } = metrics;
  return { ...event, data: { ...data, metrics: kept } };
}
