/**
 * The data do not match the settings, and continuing would lose or hide some. The message is one line for the operator,
 * with the mend.
 */
export class StartRefusedError extends Error {
  override readonly name = 'StartRefusedError';
}
