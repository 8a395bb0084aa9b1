import { setTimeout as sleep } from 'node:timers/promises';

/** The REST API as any client would call it: JSON in, JSON out, an error for everything but success. */
export class Client {
  constructor(
    private readonly url: string,
    private readonly credential: string | null = null,
  ) {}

  /** The same API with a session token or an API key. */
  with(credential: string): Client {
    return new Client(this.url, credential);
  }

  get<T>(path: string): Promise<T> {
    return this.send<T>('GET', path);
  }

  post<T>(path: string, body: unknown): Promise<T> {
    return this.send<T>('POST', path, body);
  }

  put<T>(path: string, body: unknown): Promise<T> {
    return this.send<T>('PUT', path, body);
  }

  /** Asks until the answer is as wanted. @throws Error after `seconds` */
  async until<T>(path: string, done: (answer: T) => boolean, seconds: number): Promise<T> {
    const deadline = performance.now() + seconds * 1_000;
    for (;;) {
      const answer = await this.get<T>(path);
      if (done(answer)) return answer;
      if (performance.now() > deadline) throw new Error(`${path} took longer than ${seconds} s`);
      await sleep(100);
    }
  }

  private async send<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(this.credential && { authorization: `Bearer ${this.credential}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as T;
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  }
}
