/** Work in flight that can be awaited. */
export class InHand {
  private readonly work = new Set<Promise<unknown>>();

  add<T>(work: Promise<T>): Promise<T> {
    this.work.add(work);
    const forget = () => void this.work.delete(work);
    work.then(forget, forget);
    return work;
  }

  /** Resolves when all work has settled, including work started in the meantime. */
  async done(): Promise<void> {
    while (this.work.size > 0) await Promise.allSettled(this.work);
  }
}
