import type { AnsweringProvider, InferenceTask } from '#domain/inference/index.js';
import { endFailed, SpanKind, startSpan, type Span } from '#primitives/tracing/index.js';
import type { TokenUsage } from './hosted/port.js';
import type { Model } from './models.js';

/** What runs here besides has its own names. */
const OPERATIONS: Readonly<Partial<Record<InferenceTask, string>>> = { embed: 'embeddings', generate: 'chat' };

/**
 * Begins the span of a model call, by the conventions for generative AI; null while nothing is recorded. No text of the call is in it.
 * https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/
 */
export function startCallSpan({ modelId, entry }: Model, task: InferenceTask, inferenceId: string): Span | null {
  const operation = OPERATIONS[task] ?? task;
  return startSpan(`${operation} ${modelId}`, {
    kind: SpanKind.CLIENT,
    attributes: {
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': entry.provider?.name ?? 'anneal',
      'gen_ai.request.model': modelId,
      'anneal.inference.id': inferenceId,
    },
  });
}

/** Ends it with what was used, and who answered. */
export function endCallSpan(
  span: Span | null,
  {
    usage,
    provider,
    errorType,
  }: {
    readonly usage: TokenUsage;
    readonly provider?: AnsweringProvider | null | undefined;
    readonly errorType: string | null;
  },
): void {
  if (span === null) return;
  span.setAttributes({
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    ...(provider && {
      'gen_ai.provider.name': provider.name,
      'gen_ai.response.model': provider.response?.model ?? provider.model,
      ...(provider.response?.id !== undefined && { 'gen_ai.response.id': provider.response.id }),
    }),
  });
  if (errorType !== null) endFailed(span, errorType);
  span.end();
}
