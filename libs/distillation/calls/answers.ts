import { isRecord, type Json, type JsonObject } from '#domain/json.js';
import { listOf } from './canonical.js';

/** What a model answered, whatever the dialect: a text, or the call of one tool. */
export interface CanonicalAnswer {
  /** The tool that is called; null for a text. */
  readonly tool: string | null;
  /** The text, or the arguments as JSON text. */
  readonly text: string;
}

/** Reads a recorded output. @returns null for several choices or calls, refusals, and answers without text */
export function canonicalAnswer(answer: Json): CanonicalAnswer | null {
  if (typeof answer === 'string') return { tool: null, text: answer };
  if (!isRecord(answer)) return null;
  const { content, output, completion, tool_calls: calls, refusal } = answer;
  if (typeof refusal === 'string' && refusal !== '') return null;
  if (typeof completion === 'string') return { tool: null, text: completion };
  const items = output === undefined ? content : output;
  const texts = typeof items === 'string' ? [items] : listOf(items).flatMap(textsOf);
  const called = [...listOf(calls), ...listOf(items)].flatMap(callOf);
  if (called.length === 1) return called[0]!;
  return called.length > 1 || texts.length === 0 ? null : { tool: null, text: texts.join('') };
}

function textsOf(item: Json): readonly string[] {
  if (typeof item === 'string') return [item];
  if (!isRecord(item) || item.type === 'reasoning' || item.type === 'thinking') return [];
  const { text, content, type } = item;
  if (type === 'refusal') return [];
  return typeof text === 'string' ? [text] : listOf(content).flatMap(textsOf);
}

function callOf(item: Json): readonly CanonicalAnswer[] {
  if (!isRecord(item)) return [];
  const { name, arguments: given, input, type } = (item.function ?? item) as JsonObject;
  if (typeof name !== 'string' || (type !== undefined && !CALLS.has(type as string))) return [];
  if (typeof given === 'string') return [{ tool: name, text: given }];
  return input === undefined ? [] : [{ tool: name, text: JSON.stringify(input) }];
}

const CALLS: ReadonlySet<string> = new Set(['tool_use', 'function_call', 'function']);
