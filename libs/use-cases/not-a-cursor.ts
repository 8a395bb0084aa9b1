import { InvalidError } from '#domain/errors.js';

/** A cursor that no page of the list gave. */
export const notACursor = (message = 'must be a next_cursor of this list'): InvalidError =>
  new InvalidError({ path: ['query', 'cursor'], message, type: 'not_allowed' });
