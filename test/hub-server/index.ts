export { filesIn } from './folder.js';
export { HubServer, type Fault } from './server.js';
export type { Exchange } from './exchange.js';
export { Repository } from './repositories.js';
