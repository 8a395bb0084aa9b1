/** The data are not what the settings say, and going on would lose or hide some. The message is one line for the operator, with the mend. */
export class StartRefusedError extends Error {
  override readonly name = 'StartRefusedError';
}
