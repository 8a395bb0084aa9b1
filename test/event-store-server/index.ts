export { Control } from './control.js';
export { startEventStoreServer, type EventStoreServer, type EventStoreServerOptions } from './server.js';
