import { isUnavailable } from './connection.js';

describe('of what is thrown over a connection to MongoDB', () => {
  // Seen of the driver 7.8.0 when a server is killed: the error is Node's own, not one of the driver's.
  test.each([
    ['EPIPE', 'This socket has been ended by the other party'],
    ['ECONNRESET', 'read ECONNRESET'],
    ['ERR_STREAM_DESTROYED', 'Cannot call write after a stream was destroyed'],
  ])('%s of a socket is an outage', (code, message) => {
    expect(isUnavailable(Object.assign(new Error(message), { code }))).toBe(true);
  });

  test('a mistake is none', () => {
    expect(isUnavailable(Object.assign(new TypeError('wrong'), { code: 'ERR_INVALID_ARG_TYPE' }))).toBe(false);
    expect(isUnavailable(new Error('wrong'))).toBe(false);
  });
});
