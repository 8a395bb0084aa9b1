import { openMongoCoordination } from './index.js';

describe('the address of coordination in MongoDB', () => {
  it.each([
    ['mongodb://host:27017', /names no database/],
    ['mongodb://host:27017/', /names no database/],
    ['mongodb://host:27017/?replicaSet=rs', /names no database/],
    ['mongodb://host:27017/a.b', /names no database/],
    ['mongodb://host:27017/db?replicasset=rs', /replicasset/],
    ['mongodb://user:secret@host:port/db', /cannot be used/],
  ])('%s is refused with the fault and no secret', async (address, message) => {
    const opening = openMongoCoordination({ address });
    await expect(opening).rejects.toThrow(TypeError);
    await expect(opening).rejects.toThrow(message);
    await expect(opening).rejects.not.toThrow(/secret/);
  });

  it('may name a database, and opens even if the server is down', async () => {
    const opened = await openMongoCoordination({ address: 'mongodb://user:p%40ss@a:1,b:2/anneal?replicaSet=rs' });
    await opened.close();
  });
});
