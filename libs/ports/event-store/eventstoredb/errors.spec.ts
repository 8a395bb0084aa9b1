import { AccessDeniedError, InvalidArgumentError, UnknownError } from '@eventstore/db-client';
import { status, type ServiceError } from '@grpc/grpc-js';
import { isAppendRefusal } from './errors.js';

const answered = (code: status, message = 'the server says no'): UnknownError =>
  new UnknownError(Object.assign(new Error(message), { code }) as ServiceError);

describe('a read that EventStoreDB answers with an error', () => {
  it('is a refusal if the server or the client cannot do what was asked', () => {
    expect(isAppendRefusal(answered(status.UNKNOWN))).toBe(true);
    expect(isAppendRefusal(answered(status.INTERNAL))).toBe(true);
    expect(isAppendRefusal(new InvalidArgumentError('no such position'))).toBe(true);
  });

  it('is not a refusal if there are too many calls, whatever the message says', () => {
    expect(isAppendRefusal(answered(status.RESOURCE_EXHAUSTED))).toBe(false);
  });

  it('is not a refusal if the connection closes before the answer', () => {
    expect(isAppendRefusal(answered(status.INTERNAL, '13 INTERNAL: Received RST_STREAM with code 0'))).toBe(false);
  });

  it('is not a refusal for wrong credentials or without an answer', () => {
    expect(isAppendRefusal(new AccessDeniedError({} as ServiceError))).toBe(false);
    expect(isAppendRefusal(new Error('the server says no'))).toBe(false);
  });
});
