import { Writable } from 'node:stream';
import { createLogger } from '#primitives/logging/logger.js';
import { inSpan, isTracing, startSpan, startTracing, stopTracing } from '#primitives/tracing/index.js';
import { eventually } from '#test/support/eventually.js';
import { startHostedApi, type HostedSystem } from '#test/support/hosted-api.js';
import { startOtlpCollector, type OtlpCollector } from '#test/support/otlp-collector.js';
import { uploadDataset } from '#test/support/datasets.js';
import { asLines, taskRows } from '#test/support/task-rows.js';
import { TrainingClient } from '#test/support/training-client.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';

describe('traces', () => {
  let collector: OtlpCollector;
  let system: HostedSystem;
  // Threads take the process's own environment.
  const given = () => ({ [ENDPOINT]: collector.url, OTEL_BSP_SCHEDULE_DELAY: '100' });
  const before = new Map(Object.keys(process.env).map((name) => [name, process.env[name]]));
  const headers = () => ({ 'x-api-key': system.api.key, traceparent: `00-${TRACE}-${CALLER}-01` });
  const named = (name: string) => collector.spans.find((span) => span.traceId === TRACE && span.name === name);

  beforeAll(async () => {
    collector = await startOtlpCollector();
    Object.assign(process.env, given());
    await startTracing();
    system = await startHostedApi();
  });
  afterAll(async () => {
    await system.close();
    await stopTracing();
    await collector.close();
    for (const name of Object.keys(given()))
      if (before.has(name)) process.env[name] = before.get(name);
      else delete process.env[name];
  });

  it('lead from the caller over admission, the model call and the log to the provider, the events and the read models', async () => {
    const body = { model: 'acme/chat', messages: [{ role: 'user', content: 'A secret that no span may say.' }] };
    expect((await system.api.call('POST', '/v1/chat/completions', body, headers())).status).toBe(200);
    await system.api.drained();
    await eventually(async () => named('chat acme/chat') !== undefined && named('append metered') !== undefined);

    const request = named('POST /v1/chat/completions')!;
    expect(request).toMatchObject({
      parentSpanId: CALLER,
      attributes: { 'http.route': '/v1/chat/completions', 'http.response.status_code': 200 },
    });
    expect(named('admit')!.parentSpanId).not.toBe('');
    const call = named('chat acme/chat')!;
    expect(call.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'acme/chat',
      'gen_ai.usage.input_tokens': expect.any(Number),
      'gen_ai.usage.output_tokens': expect.any(Number),
    });
    expect(system.openai.seen.at(-1)!.headers['traceparent']).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));

    const { storedEvents } = system.api.application;
    const events = await Array.fromAsync(storedEvents.readAll({ filter: { types: ['call-metered.v1'] } }));
    expect(events.at(-1)!.metadata.traceparent).toContain(TRACE);
    await eventually(async () =>
      collector.spans.some(({ name, links }) => /^project /.test(name) && links.includes(TRACE)),
    );
    expect(JSON.stringify(collector.spans)).not.toContain('A secret that no span may say');
  });

  it('go on from the request of a job over its offer and claim to the run and the events that it brings', async () => {
    const { api } = system;
    await uploadDataset(
      api,
      { dataset_name: 'traced', dataset_type: 'classification', filename: 'r.jsonl' },
      asLines(taskRows()),
    );
    const body = { base_model: 'anneal/encoder-base-v1', datasets: [{ name: 'traced' }], nr_epochs: 1 };
    const { body: job } = await api.call('POST', '/felix/training-jobs', body, headers());
    expect((await new TrainingClient(api).ended(job.id)).status).toBe('complete');
    const wanted = ['process training-dispatch', 'claim training', 'run training', 'report training'];
    await eventually(async () => wanted.every((name) => named(name) !== undefined));

    expect(named('run training')!.attributes).toMatchObject({ 'anneal.job.id': job.id });
    const { storedEvents } = api.application;
    const types = ['training-attempt-claimed.v1', 'training-job-completed.v1'];
    const events = await Array.fromAsync(storedEvents.readAll({ filter: { types } }));
    expect(events.map(({ type, metadata }) => [type, metadata.traceparent?.split('-')[1]])).toEqual(
      types.map((type) => [type, TRACE]),
    );
  });

  it('continue in the lines of the log', () => {
    const lines: string[] = [];
    const logger = createLogger('info', new Writable({ write: (line, _, done) => (lines.push(String(line)), done()) }));
    const span = startSpan('work');
    inSpan(span, () => logger.info({ event: 'done' }));
    logger.info({ event: 'outside' });
    const [inside, outside] = lines.map((line) => JSON.parse(line) as Record<string, string>);
    expect(inside).toMatchObject({ trace_id: span!.spanContext().traceId, span_id: span!.spanContext().spanId });
    expect(outside).not.toHaveProperty('trace_id');
    span!.end();
  });

  it('are not recorded when the caller says so', async () => {
    const unsampled = 'c'.repeat(32);
    const answer = await system.api.call('GET', '/projects', undefined, {
      ...headers(),
      traceparent: `00-${unsampled}-${CALLER}-00`,
    });
    expect(answer.status).toBe(200);
    await system.api.call('GET', '/projects', undefined, headers());
    await eventually(async () => named('GET /projects') !== undefined);
    expect(collector.spans.filter(({ traceId }) => traceId === unsampled)).toEqual([]);
  });
});

describe('without an exporter', () => {
  it.each([{}, { [ENDPOINT]: '' }, { [ENDPOINT]: 'http://127.0.0.1:4318', OTEL_SDK_DISABLED: 'true' }])(
    'nothing is recorded: %j',
    async (env) => {
      await startTracing(env);
      expect([isTracing(), startSpan('work')]).toEqual([false, null]);
    },
  );
});
