export { selfSignedCertificate } from './certificate.js';
export { startEventStoreProcess, type EventStoreProcess } from './process.js';
export { startEventStoreServer, type EventStoreServer, type EventStoreServerOptions } from './server.js';
export { RELEASES } from './services/context.js';
