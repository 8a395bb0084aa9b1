import { EventStoreUnavailableError, type AppendResult, type EventReader, type EventStore } from './port.js';
import { joined } from './wrappers.js';

/**
 * A read-only log, for code that requires a whole store.
 * @param append the writes that another process makes instead of this one
 */
export const readOnlyStore = (reader: EventReader, append: EventStore['append'] = refused<AppendResult>): EventStore =>
  joined(reader, {
    append,
    deleteStream: refused<void>,
    async *check() {
      await refused();
    },
    takesWrites: async () => false,
  });

const refused = <T>(): Promise<T> => Promise.reject(new EventStoreUnavailableError('this log is read only'));
