import { pino, type DestinationStream, type LevelWithSilent, type Logger, type LoggerOptions } from 'pino';
import { isTracing, traceIds } from '../tracing/index.js';

export type { Logger };

/**
 * The fields that a log line may have. Others are dropped, so that no body, key, token or address is logged by
 * accident.
 */
const FIELDS = new Set([
  'context',
  'durationMs',
  'err',
  'event',
  'host',
  'jobId',
  'method',
  'port',
  'position',
  'projection',
  'requestId',
  'role',
  'route',
  'span_id',
  'status',
  'trace_id',
  'workspaceId',
]);

/** JSON lines. */
export function createLogger(level: LevelWithSilent, destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }), log: allowed },
    serializers: { err: describeError },
    ...(isTracing() && { mixin: traceIds }),
  };
  return destination ? pino(options, destination) : pino(options);
}

function allowed(fields: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const name in fields) if (FIELDS.has(name)) kept[name] = fields[name];
  return kept;
}

/**
 * An error without quoted text: parsers and drivers put pieces of their input between quotation marks. The stack
 * suffices to find its origin.
 */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, cause, provider } = error as Error & { code?: unknown; provider?: unknown };
  return {
    type: error.name,
    ...(typeof code === 'string' && { code }),
    ...(typeof provider === 'string' && { provider }),
    message: error.message.replace(/"[^"]*"|'[^']*'|`[^`]*`/g, '"..."').slice(0, 300),
    at: (error.stack ?? '')
      .split('\n')
      .filter((line) => /^\s+at /.test(line))
      .slice(0, 12)
      .map((line) => line.trim()),
    ...(cause instanceof Error && { cause: describeError(cause) }),
  };
}
