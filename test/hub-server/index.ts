export { filesIn } from './folder.js';
export { HubServer, type Fault } from './server.js';
