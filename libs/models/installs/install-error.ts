/** An engine cannot be installed or removed. The message names what is missing, and what to do. */
export class InstallError extends Error {
  override readonly name = 'InstallError';
}
