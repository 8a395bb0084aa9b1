import { ReadStoreUnavailableError } from '../port.js';
import { MongoConnection } from './connection.js';

describe('a connection to MongoDB', () => {
  const connection = new MongoConnection({ address: 'mongodb://127.0.0.1:1/never' });
  afterAll(() => connection.close());

  const failing = (error: Error) => connection.attempt(() => Promise.reject(error)).catch((thrown: unknown) => thrown);

  // Seen of the driver 7.8.0 when a server is killed: the error is Node's own, not one of the driver's.
  test.each([
    ['EPIPE', 'This socket has been ended by the other party'],
    ['ECONNRESET', 'read ECONNRESET'],
    ['ERR_STREAM_DESTROYED', 'Cannot call write after a stream was destroyed'],
  ])('%s of a socket is an outage', async (code, message) => {
    expect(await failing(Object.assign(new Error(message), { code }))).toBeInstanceOf(ReadStoreUnavailableError);
  });

  test('a mistake stays one', async () => {
    const mistake = Object.assign(new TypeError('wrong'), { code: 'ERR_INVALID_ARG_TYPE' });
    expect(await failing(mistake)).toBe(mistake);
  });
});
