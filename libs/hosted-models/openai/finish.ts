import type { FinishReason } from '../port.js';

/** Finish reasons of chat and text completions, and those that similar servers adopted. Any other is a `stop`. */
export const FINISHES: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ['stop', 'stop'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['tool_use', 'tool_calls'],
  ['content_filter', 'content_filter'],
  ['safety', 'content_filter'],
  ['refusal', 'refusal'],
]);

/** Finish reasons that mean a failure. */
export const FAILURES: ReadonlySet<string> = new Set(['error', 'abort', 'aborted', 'insufficient_system_resource']);
