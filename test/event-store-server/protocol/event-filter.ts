import type { StoredEvent } from '../log/tables.js';
import { invalidArgument } from './errors.js';
import type { StreamMessages } from './messages.js';

export interface EventFilter {
  readonly matches: (event: Pick<StoredEvent, 'stream' | 'type'>) => boolean;
  /** After so many events looked at, whether they match or not, a subscription gets a checkpoint. */
  readonly checkpointInterval: number;
}

/** The server's, where a filter names none. */
const DEFAULT_SEARCH_WINDOW = 32;

/** @throws ServiceError when it filters by nothing, or by a regular expression that is none */
export function fromFilterOptions(options: StreamMessages.ReadReq.Options.FilterOptions): EventFilter {
  const byStream = options.getStreamIdentifier();
  const expression = byStream ?? options.getEventType();
  if (!expression) throw invalidArgument('a filter names neither streams nor event types');
  const accepts = accepting(expression);
  const window = options.hasMax() ? options.getMax() : DEFAULT_SEARCH_WINDOW;
  return {
    matches: ({ stream, type }) => accepts(byStream ? stream : type),
    checkpointInterval: Math.max(1, window) * Math.max(1, options.getCheckpointintervalmultiplier()),
  };
}

function accepting(expression: StreamMessages.ReadReq.Options.FilterOptions.Expression): (name: string) => boolean {
  const pattern = expression.getRegex();
  const prefixes = expression.getPrefixList();
  if (pattern === '') return (name) => prefixes.some((prefix) => name.startsWith(prefix));
  try {
    const regex = new RegExp(pattern);
    return (name) => regex.test(name);
  } catch (error) {
    throw invalidArgument(`${pattern} is no regular expression: ${(error as Error).message}`);
  }
}
