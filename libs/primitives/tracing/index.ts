import { context, propagation, SpanKind, SpanStatusCode, trace, type Attributes, type Span } from '@opentelemetry/api';

export { SpanKind, type Attributes, type Span };

const SCOPE = 'anneal';
const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const;

interface RunningSdk {
  /** Sends what is left. */
  close(): Promise<void>;
}

let running: RunningSdk | null = null;

/** Whether spans are recorded. Everything else here does nothing, and costs nothing, while they are not. */
export const isTracing = (): boolean => running !== null;

/**
 * Records spans from now on, in this thread, if the environment names where OTLP takes them. The SDK is loaded only then.
 * https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
export async function startTracing(env: Readonly<Record<string, string | undefined>> = process.env): Promise<void> {
  if (running !== null || !ENDPOINTS.some((name) => env[name]) || env['OTEL_SDK_DISABLED'] === 'true') return;
  const { startSdk } = await import('./sdk.js');
  running = startSdk(env);
}

/** Sends the spans that were recorded, and records no more. */
export async function stopTracing(): Promise<void> {
  const sdk = running;
  running = null;
  await sdk?.close();
}

interface SpanStart {
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  /** W3C trace contexts of what led to it, such as an event's. */
  readonly links?: readonly string[];
  /** The caller's headers: the span continues its trace. Default: the span that is active here. */
  readonly carrier?: object;
}

/** Begins a span, which the caller ends; null while nothing is recorded. */
export function startSpan(name: string, { kind, attributes, links = [], carrier }: SpanStart = {}): Span | null {
  if (running === null) return null;
  const parent = carrier ? propagation.extract(context.active(), carrier) : context.active();
  const options = {
    ...(kind !== undefined && { kind }),
    ...(attributes && { attributes }),
    links: links.flatMap((traceparent) => {
      const linked = trace.getSpanContext(propagation.extract(context.active(), { traceparent }));
      return linked ? [{ context: linked }] : [];
    }),
  };
  return trace.getTracer(SCOPE).startSpan(name, options, parent);
}

/** Runs work in which a span is active, so that spans that begin there are its children. */
export const inSpan = <T>(span: Span | null, work: () => T): T =>
  span === null ? work() : context.with(trace.setSpan(context.active(), span), work);

/** Runs work in a span of its own. */
export async function traced<T>(name: string, start: SpanStart, work: () => Promise<T>): Promise<T> {
  const span = startSpan(name, start);
  if (span === null) return work();
  try {
    return await inSpan(span, work);
  } catch (error) {
    endFailed(span, (error as Error).name);
    throw error;
  } finally {
    span.end();
  }
}

/** Marks a span as failed. @param type a name of errors: their messages may quote what people wrote */
export function endFailed(span: Span, type: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', type);
}

/** The trace context of what runs here, as headers; null while nothing is recorded. https://www.w3.org/TR/trace-context/ */
export function traceHeaders(): Readonly<Record<string, string>> | null {
  if (running === null) return null;
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}

/** Ids for a line of the log, by OpenTelemetry's names. */
export function traceIds(): { readonly trace_id?: string; readonly span_id?: string } {
  const active = running === null ? undefined : trace.getActiveSpan()?.spanContext();
  return active ? { trace_id: active.traceId, span_id: active.spanId } : {};
}

/** A function that runs with what is active now, whenever it is called. */
export const boundToSpan = (work: () => void): (() => void) =>
  running === null ? work : context.bind(context.active(), work);
