import { isPresent, isRecord } from '#primitives/values.js';

type Fields = Readonly<Record<string, unknown>>;

/** Whether a body of this route is one of `POST /v1/responses`, as some editors send it here; they read chat completions. */
export const isResponsesBody = (body: unknown): body is Fields =>
  isRecord(body) && !isPresent(body['messages']) && isPresent(body['input']);

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
