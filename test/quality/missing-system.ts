/** A system cannot be measured here. The message says why. */
export class MissingSystemError extends Error {
  override readonly name = 'MissingSystemError';
}
