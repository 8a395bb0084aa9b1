import { randomUUID } from 'node:crypto';
import { describeWithServer } from '#test/servers/describe.js';
import { keyStoreContract } from '../contract.js';

describeWithServer('mongodb', ({ name, address }) => {
  const own = new URL(address);
  own.pathname = `/keys-${randomUUID()}`;

  describe(`keys of contents on ${name}`, () => keyStoreContract({ adapter: 'mongodb', address: own.href }));
});
