import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

export interface AnswerHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** The answer exceeds the limit of bytes. */
export class AnswerTooLargeError extends Error {
  override readonly name = 'AnswerTooLargeError';
}

/** Bytes of an answer that may wait to be read before the sender is paused. */
const MAX_WAITING_BYTES = 256 * 1024;
const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * A request on the wire: its head, then the chunks of its body. Written for undici's `dispatch`, because a Node
 * stream and an AbortSignal per call double the cost of the call.
 */
export class Exchange implements Dispatcher.DispatchHandler, AsyncIterableIterator<Uint8Array, undefined> {
  /** Rejects with undici's error, or with the reason for stopping. */
  readonly head: Promise<AnswerHead>;
  private readonly began = Promise.withResolvers<AnswerHead>();
  private controller: Dispatcher.DispatchController | null = null;
  private chunks: Uint8Array[] = [];
  private waitingBytes = 0;
  private bytes = 0;
  private reader: PromiseWithResolvers<IteratorResult<Uint8Array, undefined>> | null = null;
  private isDrained = false;
  private isEnded = false;
  private failure: Error | null = null;
  private readonly ended: (() => void)[] = [];

  /**
   * @param maxBytes limit on the body
   * @param errorOf converts errors for readers of the body
   */
  constructor(
    private readonly maxBytes: number,
    private readonly errorOf: (error: Error) => Error,
  ) {
    this.head = this.began.promise;
  }

  /** @param ended called once, at the end */
  onEnd(ended: () => void): void {
    if (this.isEnded) ended();
    else this.ended.push(ended);
  }

  /** Aborts it, whatever its progress. */
  stop(reason: Error): void {
    if (this.isEnded) return;
    // A request that was not sent yet is aborted when its turn comes.
    if (this.controller === null) this.fail(reason);
    else this.controller.abort(reason);
  }

  /** Reads the rest, which is discarded, so that the connection can be reused. */
  drain(): void {
    this.isDrained = true;
    this.chunks = [];
    this.controller?.resume();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.failure !== null) controller.abort(this.failure);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // 1xx statuses only announce the answer.
    if (status >= 200) this.began.resolve({ status, headers });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.bytes += chunk.length;
    if (this.bytes > this.maxBytes) return controller.abort(new AnswerTooLargeError());
    if (this.isDrained) return;
    if (this.reader !== null) return this.answer({ done: false, value: chunk });
    this.chunks.push(chunk);
    this.waitingBytes += chunk.length;
    if (this.waitingBytes > MAX_WAITING_BYTES) controller.pause();
  }

  onResponseEnd(): void {
    this.end();
    if (this.reader !== null) this.answer(END);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const value = this.chunks.shift();
    if (value !== undefined) {
      this.waitingBytes -= value.length;
      if (this.controller?.paused && this.waitingBytes <= MAX_WAITING_BYTES / 2) this.controller.resume();
      return Promise.resolve({ done: false, value });
    }
    if (this.failure !== null) return Promise.reject(this.errorOf(this.failure));
    if (this.isEnded) return Promise.resolve(END);
    this.reader = Promise.withResolvers();
    return this.reader.promise;
  }

  /** Left early. */
  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.chunks = [];
    if (!this.isDrained && !this.isEnded) this.stop(new Error('the answer is not read to its end'));
    return Promise.resolve(END);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private fail(error: Error): void {
    if (this.isEnded) return;
    this.failure = error;
    this.end();
    this.began.reject(error);
    this.reader?.reject(this.errorOf(error));
    this.reader = null;
  }

  private end(): void {
    this.isEnded = true;
    for (const ended of this.ended) ended();
  }

  private answer(result: IteratorResult<Uint8Array, undefined>): void {
    const { resolve } = this.reader!;
    this.reader = null;
    resolve(result);
  }
}
