import { appending } from './contract/appending.js';
import { appendingAtOnce } from './contract/appending-at-once.js';
import { cutting } from './contract/cutting.js';
import { deleting } from './contract/deleting.js';
import { LogUnderTest, type LogTraits, type OpenedEventStore } from './contract/log-under-test.js';
import { reading } from './contract/reading.js';
import { subscribing } from './contract/subscribing.js';

/**
 * The contract that every adapter of the event store keeps. Positions are asserted by order and uniqueness, never by
 * value; subscriptions are drained up to a known event or checkpoint.
 * @param open opens a store on a new log, or on the shared one if `traits` say so
 */
export function eventStoreContract(
  name: string,
  open: () => Promise<OpenedEventStore>,
  traits: LogTraits = { deletedEvents: 'removed', log: 'new' },
): void {
  describe(`event store contract: ${name}`, () => {
    const log = new LogUnderTest(open, traits);
    appending(log);
    appendingAtOnce(log);
    reading(log);
    deleting(log);
    subscribing(log);
    cutting(log);
  });
}
