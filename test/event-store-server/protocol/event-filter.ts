import type { StoredEvent } from '../log/tables.js';
import { invalidArgument } from './errors.js';
import type { StreamMessages } from './messages.js';

export interface EventFilter {
  readonly matches: (event: Pick<StoredEvent, 'stream' | 'type'>) => boolean;
  /** Number of events read, matching or not, after which a subscription gets a checkpoint. */
  readonly checkpointInterval: number;
}

/** @throws ServiceError when it filters by nothing, or by a regular expression that is none */
export function fromFilterOptions(options: StreamMessages.ReadReq.Options.FilterOptions): EventFilter {
  const byStream = options.getStreamIdentifier();
  const pattern = (byStream ?? options.getEventType())?.getRegex();
  if (!pattern) throw invalidArgument('a filter has no expression for streams or event types');
  const regex = expression(pattern);
  return {
    matches: ({ stream, type }) => regex.test(byStream ? stream : type),
    checkpointInterval: Math.max(1, options.getMax()) * Math.max(1, options.getCheckpointintervalmultiplier()),
  };
}

function expression(pattern: string): RegExp {
  try {
    return new RegExp(pattern);
  } catch (error) {
    throw invalidArgument(`${pattern} is no regular expression: ${(error as Error).message}`);
  }
}
