import { AccessDeniedError, InvalidArgumentError, UnknownError } from '@eventstore/db-client';
import { status, type ServiceError } from '@grpc/grpc-js';
import { isRefusal } from './errors.js';

const answered = (code: status): UnknownError =>
  new UnknownError(Object.assign(new Error('the server says no'), { code }) as ServiceError);

describe('a read that EventStoreDB answers with an error', () => {
  it('is refused where the server or the client cannot do what was asked', () => {
    expect(isRefusal(answered(status.UNKNOWN))).toBe(true);
    expect(isRefusal(answered(status.INTERNAL))).toBe(true);
    expect(isRefusal(new InvalidArgumentError('no such position'))).toBe(true);
  });

  it('is not refused where too many calls are under way, whatever the message says', () => {
    expect(isRefusal(answered(status.RESOURCE_EXHAUSTED))).toBe(false);
  });

  it('is not refused where the credentials are wrong or nothing was answered', () => {
    expect(isRefusal(new AccessDeniedError({} as ServiceError))).toBe(false);
    expect(isRefusal(new Error('the server says no'))).toBe(false);
  });
});
