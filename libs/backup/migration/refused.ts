/** A system cannot be moved to this place, or as it is now. The message says what to do. */
export class MigrationRefusedError extends Error {
  override readonly name = 'MigrationRefusedError';
}
