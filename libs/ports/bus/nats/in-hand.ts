/** Work under way, to be waited for. */
export class InHand {
  private readonly work = new Set<Promise<unknown>>();

  add<T>(work: Promise<T>): Promise<T> {
    this.work.add(work);
    const forget = () => void this.work.delete(work);
    work.then(forget, forget);
    return work;
  }

  /** Resolves when all has ended, well or not, what begins meanwhile too. */
  async done(): Promise<void> {
    while (this.work.size > 0) await Promise.allSettled(this.work);
  }
}
