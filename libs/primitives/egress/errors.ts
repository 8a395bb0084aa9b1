/** The address of an outbound request is not one that this system goes to. Names the host, never path or credentials. */
export class EgressRefusedError extends Error {
  override readonly name = 'EgressRefusedError';
}

/** The other side could not be reached, disconnected, or did not answer in time. Trying again later may help. */
export class EgressFailedError extends Error {
  override readonly name = 'EgressFailedError';
}
