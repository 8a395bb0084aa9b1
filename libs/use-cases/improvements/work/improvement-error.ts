/** An error that ends an improvement. Clients see the message. */
export class ImprovementError extends Error {
  override readonly name = 'ImprovementError';
}
