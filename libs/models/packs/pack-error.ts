/** A pack cannot be fetched, kept or used. The message names the pack or file, and the remedy. */
export class PackError extends Error {
  override readonly name = 'PackError';
}
