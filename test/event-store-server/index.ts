export { selfSignedCertificate } from './certificate.js';
export { startEventStoreProcess, type EventStoreProcess } from './process.js';
export { startEventStoreServer, type EventStoreServer } from './server.js';
