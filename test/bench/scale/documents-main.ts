import type { AddressInfo } from 'node:net';
import { serveDocuments } from './documents-server.js';

// Prints its address.
const server = serveDocuments();
server.listen(0, '127.0.0.1', () => {
  console.log(`mongodb://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
