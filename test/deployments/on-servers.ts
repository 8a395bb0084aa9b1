import { TEST_DEPLOYMENT } from './test-api.js';

/** Jest's set-up of the specs that run on servers: see `jest.servers.config.mjs`. */
process.env[TEST_DEPLOYMENT] = 'servers';
