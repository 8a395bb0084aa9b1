/** A model cannot be imported or used. The message names the folder or file, and the remedy. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}
