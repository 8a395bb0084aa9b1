import type { Json } from '#domain/json.js';
import { ShortLived } from '#primitives/memory/short-lived.js';
import {
  CallTimedOutError,
  NoServerError,
  type CallHandler,
  type CallOptions,
  type ServeOptions,
  type Subscription,
} from '../port.js';
import { asRemote } from '../remote-error.js';

interface CallInHand {
  readonly done: Promise<void>;
  readonly cutOff: () => void;
}

interface Server {
  readonly handler: CallHandler;
  readonly cutOff: AbortSignal | undefined;
  readonly inHand: ShortLived<CallInHand>;
}

/** Servers by subject, called in turns. */
export class CallServers {
  private readonly servers = new Map<string, Server[]>();

  serve(subject: string, handler: CallHandler, { cutOff }: ServeOptions = {}): Subscription {
    const server: Server = { handler, cutOff, inHand: new ShortLived() };
    // One listener for all calls: those of a signal refer to each other, so that a dead one would keep all later ones alive.
    const onCutOff = () => [...server.inHand].forEach((call) => call.cutOff());
    cutOff?.addEventListener('abort', onCutOff);
    const servers = this.servers.get(subject) ?? [];
    this.servers.set(subject, servers);
    servers.push(server);
    return {
      stop: async () => {
        const index = servers.indexOf(server);
        if (index >= 0) servers.splice(index, 1);
        await Promise.all([...server.inHand].map(({ done }) => done));
        cutOff?.removeEventListener('abort', onCutOff);
      },
    };
  }

  async *call(subject: string, body: Json, { deadlineMs, signal }: CallOptions): AsyncGenerator<Json, void, undefined> {
    signal?.throwIfAborted();
    const server = this.next(subject);
    const done = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<never>();
    stopped.promise.catch(() => undefined);
    const controller = new AbortController();
    const stop = (reason: unknown) => {
      stopped.reject(reason);
      controller.abort(reason);
    };
    const timer = setTimeout(
      () => stop(new CallTimedOutError(`${subject} did not answer within ${deadlineMs} ms`)),
      deadlineMs,
    );
    const onAbort = () => stop(signal?.reason);
    signal?.addEventListener('abort', onAbort);
    let frames: AsyncIterator<Json> | undefined;
    let ended = false;
    let hasLeft = false;
    const leave = () => {
      if (hasLeft) return;
      hasLeft = true;
      server.inHand.take(place);
      done.resolve();
    };
    // The reader may be slow, and the server does not wait for it.
    const cutOff = () => {
      stop(asRemote(server.cutOff?.reason));
      void frames?.return?.().catch(() => undefined);
      leave();
    };
    const place = server.inHand.add({ done: done.promise, cutOff });
    try {
      const answer = run(() => server.handler(body, { signal: controller.signal }));
      if (!isAsyncIterable(answer)) {
        const frame = await Promise.race([remote(answer), stopped.promise]);
        ended = true;
        yield frame;
      } else {
        frames = answer[Symbol.asyncIterator]();
        for (;;) {
          const frame = await Promise.race([stopped.promise, remote(frames.next())]);
          if (frame.done) break;
          yield frame.value;
        }
        frames = undefined;
      }
      ended = true;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      // Skipped after the end: an abort reason, an error with its stack, costs more than a call.
      if (!ended) controller.abort();
      // A server that is still working is not awaited: it has its signal.
      void frames?.return?.().catch(() => undefined);
      leave();
    }
  }

  async close(): Promise<void> {
    const inHand = [...this.servers.values()].flat().flatMap((server) => [...server.inHand]);
    for (const servers of this.servers.values()) servers.length = 0;
    await Promise.all(inHand.map(({ done }) => done));
  }

  private next(subject: string): Server {
    const servers = this.servers.get(subject);
    const server = servers?.shift();
    if (!servers || !server) throw new NoServerError(`nobody serves ${subject}`);
    servers.push(server);
    return server;
  }
}

function run<T>(handler: () => T): T {
  try {
    return handler();
  } catch (error) {
    throw asRemote(error);
  }
}

async function remote<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw asRemote(error);
  }
}

const isAsyncIterable = (answer: AsyncIterable<Json> | Promise<Json>): answer is AsyncIterable<Json> =>
  Symbol.asyncIterator in answer;
