/** An engine cannot be installed or removed. The message says what is missing, and what to do. */
export class InstallError extends Error {
  override readonly name = 'InstallError';
}
