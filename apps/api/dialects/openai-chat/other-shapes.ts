import { InvalidError } from '#domain/errors.js';
import { kindOf } from '#primitives/reader.js';
import { isPresent, isRecord } from '#primitives/values.js';

type Fields = Readonly<Record<string, unknown>>;

/** Whether a body of this route is one of `POST /v1/responses`, as some editors send it here; they read chat completions. */
export const isResponsesBody = (body: unknown): body is Fields =>
  isRecord(body) && !isPresent(body['messages']) && isPresent(body['input']);

/** The body of a response without `stream_options.include_usage`, a field of this route. @throws InvalidError */
export function withoutUsage(body: Fields): { readonly body: Fields; readonly includeUsage: boolean } {
  const { stream_options: options } = body;
  if (!isRecord(options)) return { body, includeUsage: false };
  const { include_usage: said, ...others } = options;
  const includeUsage = said ?? false;
  if (typeof includeUsage === 'boolean') return { body: { ...body, stream_options: others }, includeUsage };
  const path = ['body', 'stream_options', 'include_usage'];
  throw new InvalidError({ path, message: `must be true or false, not ${kindOf(said)}`, type: 'wrong_type' });
}

/** The body with the tools of `POST /v1/responses`, which have no `function` within, in the shape of this route. */
export function withNestedTools(body: unknown): unknown {
  if (!isRecord(body) || !Array.isArray(body['tools'])) return body;
  const { tools, tool_choice: choice } = body;
  if (!tools.some(isFlat)) return body;
  return {
    ...body,
    tools: tools.map((tool: unknown) => (isFlat(tool) ? nested(tool) : tool)),
    ...(isFlat(choice) && { tool_choice: { type: 'function', function: { name: choice['name'] } } }),
  };
}

const isFlat = (tool: unknown): tool is Fields =>
  isRecord(tool) && tool['type'] === 'function' && tool['function'] === undefined && typeof tool['name'] === 'string';

const nested = ({ type, cache_control, ...described }: Fields): Fields => ({
  type,
  function: described,
  ...(cache_control !== undefined && { cache_control }),
});
