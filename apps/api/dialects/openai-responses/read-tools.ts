import type { JsonObject } from '#domain/json.js';
import type { FunctionTool, Tool } from '#calls/hosted/port.js';
import { isPresent, isRecord } from '#primitives/values.js';
import type { DialectReader } from '../shared/dialect-reader.js';
import { customTool } from '../shared/custom-tools.js';
import { givenName, type CalledTool, type CalledTools } from './called-tools.js';
import type { ResponsesAdditionalTools, ResponsesItem } from './dto-input.js';
import type { ResponsesCustomTool, ResponsesFunctionTool, ResponsesNamespaceTool, ResponsesTool } from './dto-tools.js';
import { markerOf } from './read-content.js';

type Path = readonly (string | number)[];

export interface ReadTools {
  readonly tools: readonly Tool[];
  readonly called: CalledTools;
}

/** Tools of a body and of its input, flat: a model knows no namespaces. */
export function readTools(
  reader: DialectReader,
  tools: readonly ResponsesTool[] | null | undefined,
  input: unknown,
): ReadTools {
  const reading = new ToolReader(reader);
  tools?.forEach((tool, index) => reading.add(tool, ['tools', index]));
  for (const [index, item] of additionalTools(input))
    item.tools.forEach((tool, place) => reading.add(tool, ['input', index, 'tools', place]));
  return reading;
}

/** The items of an input that offer more tools, each with its index. */
export function additionalTools(input: unknown): readonly (readonly [index: number, item: ResponsesAdditionalTools])[] {
  if (!Array.isArray(input)) return [];
  return (input as readonly ResponsesItem[]).flatMap((item, index) =>
    isRecord(item) && item.type === 'additional_tools' ? [[index, item] as const] : [],
  );
}

const FUNCTION = new Set(['type', 'name', 'description', 'parameters', 'strict', 'cache_control']);
const CUSTOM = new Set(['type', 'name', 'description', 'format', 'cache_control']);
const NAMESPACE = new Set(['type', 'name', 'description', 'tools']);
const NO_ARGUMENTS: JsonObject = { type: 'object', properties: {} };

/** The place of a tool in a namespace. */
interface Within {
  readonly namespace: string;
  /** Purpose of the namespace, which its first tool gives. */
  readonly about: string;
}

class ToolReader implements ReadTools {
  readonly tools: Tool[] = [];
  readonly called = new Map<string, CalledTool>();

  constructor(private readonly reader: DialectReader) {}

  add(tool: ResponsesTool, path: Path, within?: Within): void {
    switch (tool.type) {
      case 'function':
        return this.addFunction(tool as ResponsesFunctionTool, path, within);
      case 'custom':
        return this.addCustom(tool as ResponsesCustomTool, path, within);
      case 'namespace':
        return this.addNamespace(tool as ResponsesNamespaceTool, path);
      default:
        this.tools.push({ foreign: 'openai-responses', name: tool.type });
    }
  }

  private addNamespace(tool: ResponsesNamespaceTool, path: Path): void {
    this.reader.carryOthers(tool, NAMESPACE, path);
    const { name: namespace, description, tools } = tool;
    tools.forEach((each, index) => {
      const about = index === 0 && description ? `${description}\n\n` : '';
      this.add(each, [...path, 'tools', index], { namespace, about });
    });
  }

  private addFunction(tool: ResponsesFunctionTool, path: Path, within: Within | undefined): void {
    const { name, parameters, description, strict } = tool;
    this.carryOthers(tool, FUNCTION, path);
    this.give({ name, isCustom: false }, path, within, description, {
      parameters: parameters ?? NO_ARGUMENTS,
      ...(isPresent(strict) && { strict }),
      ...markerOf(tool),
    });
  }

  private addCustom(tool: ResponsesCustomTool, path: Path, within: Within | undefined): void {
    const { name, description, format } = tool;
    this.carryOthers(tool, CUSTOM, path);
    this.reader.carry(format?.definition, ['tools', 'format']);
    const { description: said, parameters } = customTool(name, description, format);
    this.give({ name, isCustom: true }, path, within, said, { parameters, ...markerOf(tool) });
  }

  private give(
    tool: Pick<CalledTool, 'name' | 'isCustom'>,
    path: Path,
    within: Within | undefined,
    description: string | null | undefined,
    rest: Omit<FunctionTool, 'name' | 'description'>,
  ): void {
    const name = givenName(tool.name, within?.namespace);
    const said = `${within?.about ?? ''}${description ?? ''}`;
    const isRenamed = within !== undefined || tool.isCustom;
    if (this.called.has(name) || (isRenamed && this.tools.some((other) => other.name === name)))
      this.reader.refuse(
        [...path, 'name'],
        `is the second tool that a model would see as ${name}; rename it`,
        'not_allowed',
      );
    if (isRenamed) this.called.set(name, { ...tool, ...(within && { namespace: within.namespace }) });
    this.tools.push({ name, ...(isPresent(said) && said !== '' && { description: said }), ...rest });
  }

  private carryOthers(tool: object, known: ReadonlySet<string>, path: Path): void {
    const { defer_loading: isDeferred, output_schema: output, ...rest } = tool as Readonly<Record<string, unknown>>;
    // Once for all tools: agents have dozens of them.
    if (isDeferred !== false) this.reader.carry(isDeferred, ['tools', 'defer_loading']);
    this.reader.carry(output, ['tools', 'output_schema']);
    const { allowed_callers: callers, ...others } = rest;
    // The model itself calls every tool here.
    if (!Array.isArray(callers) || callers.some((caller) => caller !== 'direct'))
      this.reader.carry(callers, [...path, 'allowed_callers']);
    for (const [name, value] of Object.entries(others))
      if (!known.has(name) && value !== false) this.reader.carry(value, [...path, name]);
  }
}
