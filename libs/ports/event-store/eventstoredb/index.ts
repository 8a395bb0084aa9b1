export { openEventStoreDbReader, EventStoreDbReader, type EventStoreDbReaderOptions } from './reader.js';
export { openEventStoreDb, EventStoreDb, type EventStoreDbOptions } from './store.js';
