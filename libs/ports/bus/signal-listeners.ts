import type { Json } from '#domain/json.js';
import type { Subscription } from './port.js';

type Listener = (body: Json) => unknown;

/** Listeners by subject. Each runs in its own microtask, so that one that throws does not affect the others. */
export class SignalListeners {
  private readonly listeners = new Map<string, Set<Listener>>();

  constructor(private readonly onError: (error: unknown, subject: string) => void) {}

  signal(subject: string, body: Json): void {
    if (!this.listeners.has(subject)) return;
    queueMicrotask(() => {
      for (const listener of [...(this.listeners.get(subject) ?? [])]) this.tell(listener, subject, body);
    });
  }

  listen(subject: string, handler: (body: Json) => void): Subscription {
    // Wrapped, so that one function may listen twice.
    const listener: Listener = (body) => handler(body);
    let listeners = this.listeners.get(subject);
    if (!listeners) this.listeners.set(subject, (listeners = new Set()));
    listeners.add(listener);
    return {
      stop: async () => {
        listeners.delete(listener);
        if (listeners.size === 0 && this.listeners.get(subject) === listeners) this.listeners.delete(subject);
      },
    };
  }

  close(): void {
    for (const listeners of this.listeners.values()) listeners.clear();
    this.listeners.clear();
  }

  private tell(listener: Listener, subject: string, body: Json): void {
    try {
      const result = listener(body);
      if (result instanceof Promise) result.catch((error: unknown) => this.onError(error, subject));
    } catch (error) {
      this.onError(error, subject);
    }
  }
}
