import type { Dispatcher } from 'undici';
import { AnswerTooLargeError, Exchange } from './exchange.js';

/** Simulates undici's control of a request on the wire. */
class Wire implements Dispatcher.DispatchController {
  aborted = false;
  paused = false;
  reason: Error | null = null;

  constructor(private readonly exchange: Exchange) {}

  abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.exchange.onResponseError(this, reason);
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }
}

const KIB = 1024;

describe('an exchange', () => {
  let exchange: Exchange;
  let wire: Wire;
  let ends: number;
  const bytes = (size: number) => exchange.onResponseData(wire, new Uint8Array(size));

  beforeEach(() => {
    exchange = new Exchange(KIB * KIB, (error) => new Error(`told: ${error.message}`));
    // Production code always awaits the head; these tests do not.
    exchange.head.catch(() => undefined);
    wire = new Wire(exchange);
    ends = 0;
    exchange.onEnd(() => (ends += 1));
  });

  it('returns the head, without 1xx responses, and then the chunks as they come', async () => {
    exchange.onRequestStart(wire);
    exchange.onResponseStart(wire, 103, {});
    exchange.onResponseStart(wire, 200, { 'x-a': 'b' });
    expect(await exchange.head).toEqual({ status: 200, headers: { 'x-a': 'b' } });
    bytes(1);
    const second = exchange.next().then(() => exchange.next());
    bytes(2);
    expect((await second).value).toHaveLength(2);
    exchange.onResponseEnd();
    expect([await exchange.next(), ends]).toEqual([{ done: true, value: undefined }, 1]);
  });

  it('resolves a read that waits for the next chunk', async () => {
    exchange.onRequestStart(wire);
    const next = exchange.next();
    bytes(3);
    expect((await next).value).toHaveLength(3);
    const last = exchange.next();
    exchange.onResponseEnd();
    expect((await last).done).toBe(true);
  });

  it('applies back-pressure while no reader takes chunks', async () => {
    exchange.onRequestStart(wire);
    bytes(200 * KIB);
    expect(wire.paused).toBe(false);
    bytes(100 * KIB);
    expect(wire.paused).toBe(true);
    await exchange.next();
    expect(wire.paused).toBe(false);
  });

  it('drains to its end without storing chunks, also after a pause', async () => {
    exchange.onRequestStart(wire);
    bytes(300 * KIB);
    exchange.drain();
    await exchange.return();
    bytes(300 * KIB);
    expect([wire.paused, wire.aborted]).toEqual([false, false]);
    exchange.onResponseEnd();
    expect(ends).toBe(1);
  });

  it('aborts the request when its reader leaves early', async () => {
    exchange.onRequestStart(wire);
    bytes(1);
    await exchange.return();
    expect([wire.aborted, ends]).toEqual([true, 1]);
  });

  it('does not abort the request when its reader leaves at the end', async () => {
    exchange.onRequestStart(wire);
    exchange.onResponseEnd();
    await exchange.return();
    expect([wire.aborted, ends]).toEqual([false, 1]);
  });

  it('refuses a body beyond its limit', async () => {
    exchange.onRequestStart(wire);
    exchange.drain();
    for (let each = 0; each < 4; each += 1) bytes(256 * KIB);
    expect(wire.aborted).toBe(false);
    bytes(1);
    expect(wire.reason).toBeInstanceOf(AnswerTooLargeError);
  });

  it('throws a failure after the chunks that arrived before it', async () => {
    exchange.onRequestStart(wire);
    exchange.onResponseStart(wire, 200, {});
    bytes(1);
    exchange.onResponseError(wire, new Error('cut'));
    expect((await exchange.next()).done).toBe(false);
    await expect(exchange.next()).rejects.toThrow('told: cut');
    const waiting = new Exchange(1, (error) => error);
    const next = waiting.next();
    waiting.onResponseError(wire, new Error('cut'));
    await Promise.all([expect(next).rejects.toThrow('cut'), expect(waiting.head).rejects.toThrow('cut')]);
  });

  it('fails at once when stopped before it is sent, and aborts when its turn comes', async () => {
    exchange.stop(new Error('late'));
    await expect(exchange.head).rejects.toThrow('late');
    expect(ends).toBe(1);
    exchange.onRequestStart(wire);
    expect([wire.aborted, ends]).toEqual([true, 1]);
  });
});
