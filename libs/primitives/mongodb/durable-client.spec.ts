import { durableClient } from './durable-client.js';

const optionsOf = (query: string) =>
  durableClient(`mongodb://host/db?${query}`, 2_500, { maxPoolSize: 50, socketTimeoutMS: 4_000 }).options;

it.each([
  ...['', 'w=1', 'w=0', 'W=1', '%77=1', 'w=majority', 'w=1&w=0', 'journal=false', 'JOURNAL=false', 'j=false'],
  ...['fsync=true', 'wtimeout=1', 'wtimeoutMS=0', 'readConcernLevel=local', 'readconcernlevel=available'],
  ...['readPreference=secondary', 'readPreference=nearest&maxStalenessSeconds=120', 'readPreferenceTags=dc:ny'],
  ...['ignoreUndefined=false', 'w=1&journal=false&readConcernLevel=local&retryWrites=true', '&&w=1&'],
])("the durability of MongoDB's clients is fixed, whatever the address says: %s", (query) => {
  const { writeConcern, readConcern, readPreference } = optionsOf(query);
  expect(writeConcern).toMatchObject({ w: 'majority', journal: true, wtimeoutMS: 2_500 });
  expect([readConcern?.level, readPreference.mode, readPreference.tags]).toEqual(['majority', 'primary', undefined]);
});

it('timeouts, pools and sets of an address are kept', () => {
  expect(optionsOf('maxPoolSize=7&replicaSet=rs0&w=1')).toMatchObject({ maxPoolSize: 7, replicaSet: 'rs0' });
  expect(optionsOf('sockettimeoutms=9000')).toMatchObject({ socketTimeoutMS: 9_000, maxPoolSize: 50 });
});
