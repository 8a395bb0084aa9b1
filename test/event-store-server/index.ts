export { selfSignedCertificate, type Certificate } from './certificate.js';
export { Control } from './control.js';
export { startEventStoreProcess, type EventStoreProcess } from './process.js';
export { startEventStoreServer, type EventStoreServer, type EventStoreServerOptions } from './server.js';
