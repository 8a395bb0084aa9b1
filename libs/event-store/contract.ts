import { appending } from './contract/appending.js';
import { appendingAtOnce } from './contract/appending-at-once.js';
import { deleting } from './contract/deleting.js';
import { LogUnderTest, type OpenedEventStore } from './contract/log-under-test.js';
import { reading } from './contract/reading.js';
import { subscribing } from './contract/subscribing.js';

export type { OpenedEventStore } from './contract/log-under-test.js';

/**
 * What every adapter of the event store port promises. Positions are asserted by order and uniqueness, never by value;
 * subscriptions are drained up to a known event or checkpoint, never by waiting.
 * @param open opens a store on a new, empty log
 */
export function eventStoreContract(name: string, open: () => Promise<OpenedEventStore>): void {
  describe(`event store contract: ${name}`, () => {
    const log = new LogUnderTest(open);
    appending(log);
    appendingAtOnce(log);
    reading(log);
    deleting(log);
    subscribing(log);
  });
}
