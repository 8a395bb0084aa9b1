import type { Tool, ToolChoice } from '#calls/hosted/port.js';
import { isPresent } from '#primitives/values.js';
import type { DialectReader } from '../shared/dialect-reader.js';
import { givenName } from './called-tools.js';
import type { ResponsesBody } from './dto.js';
import type { ResponsesFunctionChoice } from './dto-tools.js';
import type { ReadTools } from './read-tools.js';

type Path = readonly (string | number)[];

interface AskedTools {
  readonly tools?: readonly Tool[];
  readonly toolChoice?: ToolChoice;
}

/** The tools sent to a model, and which of them it must call. */
export function choiceOf(reader: DialectReader, choice: ResponsesBody['tool_choice'], read: ReadTools): AskedTools {
  const { only, toolChoice } = chosen(reader, choice, read);
  // Tools that the model may not call are left out.
  const allowed = only ? read.tools.filter((tool) => only.has(tool.name)) : read.tools;
  return { ...(allowed.length > 0 && { tools: allowed }), ...(toolChoice !== undefined && { toolChoice }) };
}

interface Choice {
  readonly toolChoice?: ToolChoice;
  /** Names of the callable tools, if they are fewer than all. */
  readonly only?: ReadonlySet<string>;
}

const PATH = ['tool_choice'];

function chosen(reader: DialectReader, choice: ResponsesBody['tool_choice'], read: ReadTools): Choice {
  if (!isPresent(choice)) return {};
  if (typeof choice === 'string') return { toolChoice: choice };
  if (choice.type !== 'allowed_tools') return { toolChoice: { name: toolNamed(reader, choice, PATH, read) } };
  const { mode, tools } = choice;
  const only = tools.map((tool, index) => toolNamed(reader, tool, [...PATH, 'tools', index], read));
  return { only: new Set(only), toolChoice: mode };
}

/** The name sent to the model. A tool of a namespace may be chosen by its own name alone. */
function toolNamed(
  reader: DialectReader,
  { name, namespace }: ResponsesFunctionChoice,
  path: Path,
  { tools, called }: ReadTools,
): string {
  const given = givenName(name, namespace);
  if (tools.some((tool) => !('foreign' in tool) && tool.name === given)) return given;
  const own = isPresent(namespace) ? [] : [...called].filter(([, tool]) => tool.name === name);
  const [only] = own;
  if (only && own.length === 1) return only[0];
  const message = own.length > 1 ? 'is in several namespaces; say which' : 'must be the name of one of tools';
  reader.refuse([...path, own.length > 1 ? 'namespace' : 'name'], message, 'not_allowed');
  return given;
}
