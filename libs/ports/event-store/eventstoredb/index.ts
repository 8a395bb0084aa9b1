export { openEventStoreDbReader } from './reader.js';
export { openEventStoreDb, EventStoreDb, type EventStoreDbOptions } from './store.js';
