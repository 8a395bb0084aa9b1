import { writeSync } from 'node:fs';
import { isLogCreated } from '../log-created.js';
import { openSqliteEventReader, openSqliteEventStore } from './index.js';
import { event } from './store.fixture.js';

/** A second process on the same folder. */
const [role, directory] = process.argv.slice(2) as ['hold' | 'hold-opening' | 'follow', string];
const say = (line: string) => writeSync(1, `${line}\n`);

if (role === 'hold') {
  await openSqliteEventStore({ directory });
  say('open');
} else if (role === 'hold-opening') {
  const store = await openSqliteEventStore({ directory });
  await store.held.hold([{ ...event(), type: 'call-opened.v1', stream: 'metered-1' }]);
  say('held');
} else {
  const reader = openSqliteEventReader({ directory });
  for await (const message of reader.subscribe({ after: null, signal: new AbortController().signal })) {
    if (message.kind === 'events') {
      for (const event of message.events) if (!isLogCreated(event)) say(`${event.stream} ${event.revision}`);
    } else if (message.kind === 'caught-up') say('caught-up');
  }
}
