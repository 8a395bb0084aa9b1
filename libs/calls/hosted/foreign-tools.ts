import type { Dropped } from './dropped.js';
import { notCarried, type FunctionTool, type GenerationRequest } from './port.js';

/**
 * The tools sent to a provider. A tool that only another style's providers run is dropped beside functions: coding
 * agents offer such tools with every request, and the model has others.
 * @throws HostedModelError naming a tool that cannot be sent, if there is no function beside it
 */
export function sentTools({ tools = [] }: GenerationRequest, dropped: Dropped): readonly FunctionTool[] {
  const functions: FunctionTool[] = [];
  const foreign: string[] = [];
  for (const tool of tools) {
    if ('foreign' in tool) foreign.push(tool.name);
    else functions.push(tool);
  }
  if (foreign.length > 0 && functions.length === 0)
    throw notCarried(`the tool ${foreign.join(', ')}`, 'describe it as a function with a schema');
  for (const name of foreign) dropped.drop(`tools.${name}`);
  return functions;
}
