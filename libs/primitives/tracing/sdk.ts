import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

/** Milliseconds for which spans are gathered. */
const DELAY_MS = 5_000;

/** Sends spans to the place that the environment names, with its headers and timeouts. Use `startTracing`. */
export function startSdk(env: Readonly<Record<string, string | undefined>>) {
  const share = Number(env['OTEL_TRACES_SAMPLER_ARG'] || 1);
  const scheduledDelayMillis = Number(env['OTEL_BSP_SCHEDULE_DELAY'] || DELAY_MS);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': env['OTEL_SERVICE_NAME'] || 'anneal', ...given(env) }),
    // The caller's decision stands; without one, a share of all traces is recorded.
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), scheduledDelayMillis })],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  return {
    async close() {
      trace.disable();
      context.disable();
      propagation.disable();
      await provider.shutdown();
    },
  };
}

/** `OTEL_RESOURCE_ATTRIBUTES`: `key=value,key=value`, percent-encoded. */
const given = (env: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    (env['OTEL_RESOURCE_ATTRIBUTES'] ?? '')
      .split(',')
      .filter((pair) => pair.includes('='))
      .map((pair) => {
        const [key = '', ...value] = pair.split('=');
        return [key.trim(), decodeURIComponent(value.join('=').trim())];
      }),
  );
