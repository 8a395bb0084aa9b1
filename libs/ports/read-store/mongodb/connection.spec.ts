import { MongoBulkWriteError, MongoNetworkError, MongoServerError, type BulkWriteResult } from 'mongodb';
import { ReadStoreUnavailableError } from '../port.js';
import { isUnavailable, MongoConnection } from './connection.js';
import { writeGuarded } from './guarded-writes.js';

describe('an error thrown over a connection to MongoDB', () => {
  // Seen of the driver 7.8.0 when a server is killed: the error is Node's own, not one of the driver's.
  it.each([
    ['EPIPE', 'This socket has been ended by the other party'],
    ['ECONNRESET', 'read ECONNRESET'],
    ['ERR_STREAM_DESTROYED', 'Cannot call write after a stream was destroyed'],
  ])('is an outage for %s of a socket', (code, message) => {
    expect(isUnavailable(Object.assign(new Error(message), { code }))).toBe(true);
  });

  // As driver 7.8.0 throws them from `bulkWrite`: no single write of the group failed.
  it.each([
    ['a network that broke', new MongoNetworkError('connection 3 to 127.0.0.1:27017 closed')],
    ['a primary that stepped down', new MongoServerError({ message: 'not primary', code: 10107 })],
  ])('is an outage, not a unique index violation, for %s within a group of writes', async (_, cause) => {
    const result = { getWriteConcernError: () => undefined } as BulkWriteResult;
    const thrown = new MongoBulkWriteError(cause, result);
    const collection = {
      bulkWrite: () => Promise.reject(thrown),
      find: () => ({ toArray: async () => [] }),
    };
    await expect(writeGuarded(collection as never, [{ _id: 'a', _pos: '1' }])).rejects.toBe(thrown);
    expect(isUnavailable(thrown)).toBe(true);
  });

  it('is an outage if the server failed without a code', () => {
    expect(isUnavailable(new MongoServerError({ ok: 0, errmsg: 'Unknown error: null' }))).toBe(true);
  });

  it.each([8000, 365, 112, 391, 1, 279, 314, 355, 46841])(
    'is an outage for the code %d, which says "not now"',
    (code) => {
      expect(isUnavailable(new MongoServerError({ ok: 0, errmsg: 'not now', code }))).toBe(true);
    },
  );

  it('is an outage for whatever keeps the driver from connecting', async () => {
    const connection = new MongoConnection({ address: 'mongodb://127.0.0.1:1/?tls=true&tlsCAFile=missing.pem' });
    await expect(connection.attempt(() => Promise.resolve(1))).rejects.toThrow(/^read store: .*missing\.pem/);
    await expect(connection.attempt(() => Promise.resolve(1))).rejects.toBeInstanceOf(ReadStoreUnavailableError);
    await connection.close();
  });

  it('is not an outage if the caller made a mistake', () => {
    expect(isUnavailable(new MongoServerError({ ok: 0, errmsg: 'unknown operator: $bad', code: 2 }))).toBe(false);
    expect(isUnavailable(Object.assign(new TypeError('wrong'), { code: 'ERR_INVALID_ARG_TYPE' }))).toBe(false);
    expect(isUnavailable(new Error('wrong'))).toBe(false);
  });
});

it.each(['mongodb://anneal:s3cret', 'mongodb://anneal:s3cret@host:x/db', 'mongodb://anneal:s3/cret@host/db'])(
  'a problem with an address is reported without its password: %s',
  (address) => {
    expect(() => new MongoConnection({ address })).toThrow(/^(?!.*s3).*address that MongoDB's driver does not take/s);
  },
);
