import type { Json } from '#domain/json.js';
import { kindOf, type Path, type Reader } from '#primitives/reader.js';
import { isPresent, isRecord } from '#primitives/values.js';

/** Fields of an assistant's message that may replace its content, such as a tool call. */
const MESSAGE_FIELDS = ['role', 'content', 'refusal', 'tool_calls', 'function_call'];

/** A text, or the answer as the route records it; for several choices a list of such. */
export function checkGenerated(reader: Reader, corrected: Json, output: Json, path: Path): void {
  if (Array.isArray(output) && Array.isArray(corrected)) {
    const choices = output as readonly Json[];
    if (corrected.length !== choices.length)
      reader.refuse(
        path,
        `must be a list of ${choices.length}, one for each choice (got ${corrected.length})`,
        'wrong_type',
      );
    return (corrected as readonly Json[]).forEach((each, index) =>
      checkGenerated(reader, each, choices[index] ?? null, [...path, index]),
    );
  }
  if (corrected === '') reader.refuse(path, 'must be the right answer as a string, not empty', 'out_of_range');
  if (typeof corrected === 'string') return;
  const known =
    isRecord(output) || output === null ? [...Object.keys(output ?? {}), ...MESSAGE_FIELDS] : ['completion'];
  if (!isRecord(corrected) || Object.keys(corrected).length === 0)
    return reader.refuse(
      path,
      `must be a string, or an object as the recorded output, not ${kindOf(corrected)}`,
      'wrong_type',
    );
  for (const key of Object.keys(corrected))
    if (!known.includes(key))
      reader.refuse(
        [...path, key],
        `is no field of such an answer; send a string, or ${[...new Set(known)].join(', ')}`,
        'unknown_field',
      );
  if (known.length === 1) reader.string(corrected['completion'], [...path, 'completion']);
  else checkMessage(reader, corrected, path);
}

/** The fields whose shape is the same on every route; the others have the route's recorded form. */
function checkMessage(reader: Reader, message: Readonly<Record<string, unknown>>, path: Path): void {
  const { role, content, tool_calls: calls, output } = message;
  if (role !== undefined && role !== 'assistant')
    reader.refuse([...path, 'role'], 'must be assistant: the corrected output is an answer', 'not_allowed');
  if (typeof content !== 'string' && isPresent(content))
    checkObjects(reader, content, 'a string, or a list of objects', [...path, 'content']);
  if (isPresent(calls)) checkObjects(reader, calls, 'a list of objects', [...path, 'tool_calls']);
  if (typeof output !== 'string' && isPresent(output))
    checkObjects(reader, output, 'a list of objects', [...path, 'output']);
}

function checkObjects(reader: Reader, value: unknown, expected: string, path: Path): void {
  if (!Array.isArray(value)) return reader.refuse(path, `must be ${expected}, not ${kindOf(value)}`, 'wrong_type');
  for (const [index, each] of value.entries())
    if (!isRecord(each)) reader.refuse([...path, index], `must be an object, not ${kindOf(each)}`, 'wrong_type');
}
