import type { JsonObject } from '#domain/json.js';
import type { FunctionTool } from '#calls/hosted/port.js';
import { isRecord } from '#primitives/values.js';

/** Custom tools, whose input is a text: only OpenAI has them. Any other model is given a function with one argument, `input`. */

const ONE_TEXT: JsonObject = {
  ...{ type: 'object', properties: { input: { type: 'string' } } },
  ...{ required: ['input'], additionalProperties: false },
};

/**
 * The function for a custom tool.
 * @param grammar `{syntax, definition}`, that the text is to keep to: a part of the description, since no other provider enforces it
 */
export function customTool(name: string, description: unknown, grammar: unknown): FunctionTool {
  const { syntax, definition } = isRecord(grammar) ? grammar : {};
  const kept =
    typeof definition === 'string'
      ? `The input is a text of this grammar${typeof syntax === 'string' ? ` (${syntax})` : ''}:\n${definition}`
      : '';
  const said = [description, kept].filter((text) => typeof text === 'string' && text !== '').join('\n\n');
  return { name, ...(said !== '' && { description: said }), parameters: ONE_TEXT };
}

/** The arguments that pass a custom tool's text input to a model. */
export const customArguments = (input: string): string => JSON.stringify({ input });

/**
 * The text that a model gave a custom tool. If a model ignored the tool's only argument, everything it wrote is the
 * text.
 */
export function customInput(json: string): string {
  try {
    const { input } = JSON.parse(json) as { readonly input?: unknown };
    return typeof input === 'string' ? input : json;
  } catch {
    return json;
  }
}
