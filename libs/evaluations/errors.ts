/** An evaluation that cannot succeed. Clients see the message. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';
}
