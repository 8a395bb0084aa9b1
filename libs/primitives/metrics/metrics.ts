import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Lag of one projection, as in `ProjectionHost.status()`. */
interface ProjectionLag {
  readonly name: string;
  /** null where that is not known. */
  readonly lagEvents: number | null;
  readonly lagSeconds: number;
  readonly parked: number;
}

/** Prometheus metrics for operators. No label has a value that a user chooses. */
export class Metrics {
  readonly registry = new Registry();
  private readonly requests = new Counter({
    name: 'anneal_http_requests_total',
    help: 'Requests answered, by route template and status; 499 where the client had gone before',
    labelNames: ['method', 'route', 'status'],
    registers: [this.registry],
  });
  private readonly durations = new Histogram({
    name: 'anneal_http_request_seconds',
    help: 'From a request to its answer, by route template',
    labelNames: ['route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [this.registry],
  });
  private readonly appends = new Histogram({
    name: 'anneal_append_seconds',
    help: 'From an append to its acknowledgement, by outcome',
    labelNames: ['outcome'],
    buckets: [0.0002, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2],
    registers: [this.registry],
  });
  private readonly shadowsLeftOut = new Counter({
    name: 'anneal_shadow_calls_left_out_total',
    help: 'Shadow calls left out because this process ran as many as it may at a time',
    registers: [this.registry],
  });

  constructor() {
    // Among them the delay of the event loop, the heap, and the collector's pauses.
    collectDefaultMetrics({ register: this.registry });
  }

  appended(sample: { readonly ms: number; readonly outcome: string }): void {
    this.appends.observe({ outcome: sample.outcome }, sample.ms / 1000);
  }

  shadowLeftOut(): void {
    this.shadowsLeftOut.inc();
  }

  /** Reads the lags whenever metrics are scraped. */
  watchProjections(lags: () => Promise<readonly ProjectionLag[]>): void {
    const gauge = (name: string, help: string, value: (lag: ProjectionLag) => number | null): void => {
      new Gauge({
        name,
        help,
        labelNames: ['projection'],
        registers: [this.registry],
        async collect() {
          // The lags are unknown while no worker leads the projections; the other metrics remain.
          this.reset();
          for (const lag of await lags().catch(() => [])) {
            const known = value(lag);
            if (known !== null) this.set({ projection: lag.name }, known);
          }
        },
      });
    };
    gauge('anneal_projection_lag_events', 'Events of the log that it has not passed', ({ lagEvents }) => lagEvents);
    gauge('anneal_projection_lag_seconds', 'Age of what it took in last', ({ lagSeconds }) => lagSeconds);
    gauge('anneal_projection_parked_keys', 'Keys put aside because an event keeps failing', ({ parked }) => parked);
  }

  /** Reads the leaderships whenever metrics are scraped. */
  watchLeaderships(leaderships: () => readonly { readonly name: string; readonly role: string }[]): void {
    new Gauge({
      name: 'anneal_leads',
      help: '1 where this worker leads it, else 0',
      labelNames: ['name'],
      registers: [this.registry],
      collect() {
        for (const { name, role } of leaderships()) this.set({ name }, role === 'leader' ? 1 : 0);
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
