/** Closes opened parts in reverse order. */
export class OpenParts {
  private readonly parts: { close(): Promise<void> }[] = [];

  opened<T extends { close(): Promise<void> }>(part: T): T {
    this.parts.push(part);
    return part;
  }

  /** Closes everything, even if one part fails. @throws the first failure */
  async close(): Promise<void> {
    const errors: unknown[] = [];
    for (let part = this.parts.pop(); part; part = this.parts.pop())
      await part.close().catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  }
}
