import { createRequire } from 'node:module';
import type * as PromClient from 'prom-client';

const require = createRequire(import.meta.url);

/** Lag of one projection, as in `ProjectionHost.status()`. */
interface ProjectionLag {
  readonly name: string;
  /** null if that is not known. */
  readonly lagEvents: number | null;
  readonly lagSeconds: number;
  readonly parked: number;
}

type Counts = Readonly<Record<string, number>>;

/** Figures of a runner, by names that its code chooses. */
interface RunnerFigures {
  /** Attempts that run, and how many may run at a time, by kind. */
  readonly attempts: Readonly<Record<string, { readonly running: number; readonly room: number }>>;
  /** From its heartbeats (`ServingFigures` of the runner's contract). */
  readonly serving: {
    readonly models: Counts;
    readonly calls: Counts;
    readonly tokens: Counts;
    readonly cachedBytes: number;
    readonly waitingCharacters: number;
    readonly waitingGenerations: number;
  };
}

export interface DiskSpace {
  readonly sizeBytes: number;
  readonly freeBytes: number;
}

/** Commands of one process manager, as in `ProcessManagerHost.status()`. */
interface ManagerWork {
  readonly name: string;
  readonly pending: number;
  readonly failing: readonly unknown[];
  readonly queue: QueueDepth | null;
}

/** As in `ProcessManager.queue`. `oldestAt` in milliseconds since 1970. */
interface QueueDepth {
  readonly waiting: number;
  readonly taken: number;
  readonly oldestAt: number | null;
}

/** As in `AuditStatus`. Times in ISO 8601; null before the first. */
interface AuditState {
  readonly signedAt: string | null;
  readonly checkedAt: string | null;
  readonly problems: number;
}

/** Values by label; null: not known. */
type Values = readonly (readonly [string, number | null])[];

/** Prometheus metrics for operators. No label has a value that a user chooses. */
export class Metrics {
  /** Loaded for the first of these alone: the class names a provider, also where there are no metrics. */
  private readonly client = require('prom-client') as typeof PromClient;
  readonly registry = new this.client.Registry();
  private readonly requests = new this.client.Counter({
    name: 'anneal_http_requests_total',
    help: 'Requests answered, by route template and status; 499 where the client had gone before',
    labelNames: ['method', 'route', 'status'],
    registers: [this.registry],
  });
  private readonly durations = new this.client.Histogram({
    name: 'anneal_http_request_seconds',
    help: 'From a request to its answer, by route template',
    labelNames: ['route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [this.registry],
  });
  private readonly appends = new this.client.Histogram({
    name: 'anneal_append_seconds',
    help: 'From an append to its acknowledgement, by outcome',
    labelNames: ['outcome'],
    buckets: [0.0002, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2],
    registers: [this.registry],
  });
  private readonly shadowsLeftOut = new this.client.Counter({
    name: 'anneal_shadow_calls_left_out_total',
    help: 'Shadow calls left out because this process ran as many as it may at a time',
    registers: [this.registry],
  });
  private readonly callCost = new this.client.Counter({
    name: 'anneal_call_cost_dollars_total',
    help: 'Price of the recorded calls',
    registers: [this.registry],
  });
  private readonly callTokens = new this.client.Counter({
    name: 'anneal_call_tokens_total',
    help: 'Tokens of the recorded calls, by direction',
    labelNames: ['direction'],
    registers: [this.registry],
  });
  private readonly lostReads = new this.client.Counter({
    name: 'anneal_reads_unrecorded_total',
    help: 'Reads of contents that the log did not take, so that nobody sees who read them',
    registers: [this.registry],
  });

  private readonly useCases = new this.client.Histogram({
    name: 'anneal_use_case_seconds',
    help: 'Commands and queries by name and outcome, whoever gives them: routes, workers or operators',
    labelNames: ['name', 'outcome'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
    registers: [this.registry],
  });

  private readonly backgroundFailures = new this.client.Counter({
    name: 'anneal_background_failures_total',
    help: 'Failures of work in the background, which is tried again',
    labelNames: ['name'],
    registers: [this.registry],
  });

  constructor() {
    // Among them the delay of the event loop, the heap, and the collector's pauses.
    this.client.collectDefaultMetrics({ register: this.registry });
    // They are gauges with the suffix of counters, and sums of others (https://prometheus.io/docs/practices/naming/).
    for (const what of ['handles', 'requests', 'resources'])
      this.registry.removeSingleMetric(`nodejs_active_${what}_total`);
  }

  appended(sample: { readonly ms: number; readonly outcome: string }): void {
    this.appends.observe({ outcome: sample.outcome }, sample.ms / 1000);
  }

  shadowLeftOut(): void {
    this.shadowsLeftOut.inc();
  }

  recorded(call: { readonly dollars: number; readonly inputTokens: number; readonly outputTokens: number }): void {
    this.callCost.inc(call.dollars);
    this.callTokens.inc({ direction: 'input' }, call.inputTokens);
    this.callTokens.inc({ direction: 'output' }, call.outputTokens);
  }

  readsUnrecorded(count: number): void {
    this.lostReads.inc(count);
  }

  /** @param name of a class of messages */
  useCase(name: string, outcome: string, ms: number): void {
    this.useCases.observe({ name, outcome }, ms / 1000);
  }

  /** @param name chosen by code */
  backgroundFailed(name: string): void {
    this.backgroundFailures.inc({ name });
  }

  /** Reads the lags whenever metrics are scraped. */
  watchProjections(lags: () => Promise<readonly ProjectionLag[]>): void {
    const gauge = (name: string, help: string, value: (lag: ProjectionLag) => number | null): void =>
      this.read({ name, help, label: 'projection' }, async () =>
        (await lags()).map((lag) => [lag.name, value(lag)] as const),
      );
    gauge('anneal_projection_lag_events', 'Events of the log that it has not passed', ({ lagEvents }) => lagEvents);
    gauge('anneal_projection_lag_seconds', 'Age of what it took in last', ({ lagSeconds }) => lagSeconds);
    gauge('anneal_projection_parked_keys', 'Keys put aside because an event keeps failing', ({ parked }) => parked);
  }

  /** Reads the work after events whenever metrics are scraped. */
  watchWork(
    work: () => Promise<{
      readonly managers: readonly ManagerWork[];
      readonly runners: readonly { readonly present: boolean }[];
    }>,
  ): void {
    this.read({ name: 'anneal_work_pending', help: 'Commands that wait or run', label: 'manager' }, async () =>
      (await work()).managers.map(({ name, pending }) => [name, pending]),
    );
    this.read({ name: 'anneal_work_failing', help: 'Commands that keep failing', label: 'manager' }, async () =>
      (await work()).managers.map(({ name, failing }) => [name, failing.length]),
    );
    const queue = (name: string, help: string, of: (queue: QueueDepth) => number): void =>
      this.read({ name, help, label: 'manager' }, async () =>
        (await work()).managers.flatMap((each) => (each.queue ? [[each.name, of(each.queue)]] : [])),
      );
    queue('anneal_work_waiting', 'Trainings, evaluations and exports that no runner has', ({ waiting }) => waiting);
    queue('anneal_work_taken', 'Trainings, evaluations and exports that runners have', ({ taken }) => taken);
    const oldest =
      'Age of the oldest training, evaluation or export that a user asked for and no runner has; 0: none waits';
    queue('anneal_work_oldest_waiting_seconds', oldest, ({ oldestAt }) =>
      oldestAt === null ? 0 : Math.max(0, Date.now() - oldestAt) / 1000,
    );
    this.read({ name: 'anneal_runners_present', help: 'Runners heard in the last 5 s' }, async () => [
      ['', (await work()).runners.filter(({ present }) => present).length],
    ]);
  }

  /** Reads the runner's figures of this process at each scrape of the metrics. */
  watchRunner(figures: () => RunnerFigures): void {
    const serving = (
      name: string,
      help: string,
      label: string,
      of: (figures: RunnerFigures['serving']) => Counts,
    ): void => this.read({ name, help, label }, () => Object.entries(of(figures().serving)));
    const attempts = (name: string, help: string, of: (each: { running: number; room: number }) => number): void =>
      this.read({ name, help, label: 'kind' }, () =>
        Object.entries(figures().attempts).map(([kind, each]) => [kind, of(each)]),
      );
    attempts('anneal_runner_attempts', 'Trainings, evaluations and exports that run', ({ running }) => running);
    attempts('anneal_runner_attempt_room', 'How many of them may run at a time', ({ room }) => room);
    serving('anneal_runner_models', 'Models that it serves, by state', 'state', ({ models }) => models);
    serving('anneal_runner_calls', 'Calls accepted and not answered', 'kind', ({ calls }) => calls);
    const plain = (name: string, help: string, of: (figures: RunnerFigures['serving']) => number): void =>
      this.read({ name, help }, () => [['', of(figures().serving)]]);
    plain('anneal_runner_cached_bytes', 'Trained models on its disk', ({ cachedBytes }) => cachedBytes);
    plain('anneal_runner_waiting_characters', 'Characters of calls that wait', (each) => each.waitingCharacters);
    plain('anneal_runner_waiting_generations', 'Generations that wait', (each) => each.waitingGenerations);
    new this.client.Counter({
      name: 'anneal_runner_tokens_total',
      help: 'Tokens that its models read and wrote',
      labelNames: ['direction'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [direction, count] of Object.entries(figures().serving.tokens)) this.inc({ direction }, count);
      },
    });
  }

  /** Reads the space of the data folder's disk whenever metrics are scraped. */
  watchDisk(space: () => Promise<DiskSpace>): void {
    this.read({ name: 'anneal_disk_size_bytes', help: 'Size of the disk that has the data folder' }, async () => [
      ['', (await space()).sizeBytes],
    ]);
    this.read({ name: 'anneal_disk_free_bytes', help: 'Bytes of it that this process may still write' }, async () => [
      ['', (await space()).freeBytes],
    ]);
  }

  /** Reads the state of scheduled backups whenever metrics are scraped. `lastAt`: undefined while it is not known. */
  watchBackups(backups: () => { readonly lastAt: number | null | undefined; readonly everyMs: number }): void {
    const last = 'Time at which the newest whole backup began, in seconds since 1970; 0: there is none';
    this.read({ name: 'anneal_backup_timestamp_seconds', help: last }, () => {
      const { lastAt } = backups();
      return lastAt === undefined ? [] : [['', (lastAt ?? 0) / 1000]];
    });
    this.read({ name: 'anneal_backup_interval_seconds', help: 'Seconds from one backup to the next' }, () => [
      ['', backups().everyMs / 1000],
    ]);
  }

  /** Reads the state of the audit whenever metrics are scraped. */
  watchAudit(audit: () => Promise<AuditState>): void {
    const time = (name: string, help: string, of: (state: AuditState) => string | null): void =>
      this.read({ name, help }, async () => {
        const at = of(await audit());
        return at === null ? [] : [['', Date.parse(at) / 1000]];
      });
    const signed = 'Time at which the audit last signed a checkpoint, in seconds since 1970';
    time('anneal_audit_signed_timestamp_seconds', signed, ({ signedAt }) => signedAt);
    const checked = 'Time at which the whole log was last compared with the audit tree, in seconds since 1970';
    time('anneal_audit_checked_timestamp_seconds', checked, ({ checkedAt }) => checkedAt);
    this.read({ name: 'anneal_audit_problems', help: 'Differences between the log and the audit tree' }, async () => [
      ['', (await audit()).problems],
    ]);
  }

  /** Reads the leaderships whenever metrics are scraped. */
  watchLeaderships(leaderships: () => readonly { readonly name: string; readonly role: string }[]): void {
    this.read({ name: 'anneal_leads', help: '1 where this worker leads it, else 0', label: 'name' }, () =>
      leaderships().map(({ name, role }) => [name, role === 'leader' ? 1 : 0]),
    );
  }

  /**
   * A gauge that is read at each scrape. Unknown values, as while no worker leads, are left out; the other metrics
   * remain.
   */
  private read(
    { name, help, label }: { readonly name: string; readonly help: string; readonly label?: string },
    values: () => Values | Promise<Values>,
  ): void {
    new this.client.Gauge({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [this.registry],
      async collect() {
        this.reset();
        // A gauge without labels begins with 0, which is not known either.
        if (label === undefined) this.remove();
        const known = await Promise.resolve()
          .then(values)
          .catch(() => []);
        for (const [of, value] of known)
          if (value !== null) this.set(label === undefined ? {} : { [label]: of }, value);
      },
    });
  }

  /** @param request its route's template, since a path that no route knows is the user's own choice of word */
  answered(request: {
    readonly method: string;
    readonly route: string;
    readonly status: number;
    readonly ms: number;
  }): void {
    const { method, route, status, ms } = request;
    this.requests.inc({ method, route, status });
    this.durations.observe({ route }, ms / 1000);
  }
}
