import type { Tool } from '@modelcontextprotocol/server';
import type { JsonObject } from '#domain/json.js';
import { argumentsOf, type Described, type ToolArguments } from './arguments.js';
import type { AskRoute, OwnAnswer } from './own-requests.js';
import { ROUTE_TOOLS, type RouteTool } from './tools.js';
import { upload, UPLOAD_ROUTE, uploadArguments } from './upload-tool.js';

/** The argument by which an agent says that its person agreed. */
export const CONFIRM = 'confirm';

export interface KnownTool extends RouteTool, ToolArguments {
  readonly call: (given: JsonObject, ask: AskRoute) => Promise<OwnAnswer>;
}

/** The tools by name, made from the API's own description of its routes. */
export function toolsOf(document: Described): ReadonlyMap<string, KnownTool> {
  const upload_ = uploadArguments(document);
  const uploading: KnownTool = {
    name: 'create_dataset',
    route: UPLOAD_ROUTE,
    ...upload_,
    call: (given, ask) => upload(given, upload_, ask),
  };
  const routes = ROUTE_TOOLS.map((tool): KnownTool => {
    const known = argumentsOf(tool, document);
    return { ...tool, ...known, call: (given, ask) => ask(known.request(given)) };
  });
  return new Map([uploading, ...routes].map((tool) => [tool.name, tool]));
}

/** The tool as the protocol lists it. */
export function described({ name, route, loses, summary, inputSchema }: KnownTool): Tool {
  const isReading = route.startsWith('GET ');
  const warning =
    loses === undefined ? '' : ` Deletes ${loses}. Ask the person before you call it with ${CONFIRM}: true.`;
  const confirm = { type: 'boolean', description: 'true once the person has agreed to what will be lost' };
  return {
    name,
    description: `${summary}.${warning} (${route})`,
    inputSchema:
      loses === undefined
        ? inputSchema
        : {
            ...inputSchema,
            properties: { ...(inputSchema['properties'] as JsonObject), [CONFIRM]: confirm },
          },
    annotations: {
      readOnlyHint: isReading,
      ...(!isReading && { destructiveHint: loses !== undefined }),
      openWorldHint: false,
    },
  };
}
