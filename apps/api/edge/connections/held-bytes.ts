import { HttpError } from '../errors/http-error.js';
import type { ConnectionLimits } from './limits.js';

/** Bytes held of bodies that have not ended, in all and by client network. */
export class HeldBytes {
  private total = 0;
  private readonly byNetwork = new Map<string, number>();

  constructor(private readonly limits: Pick<ConnectionLimits, 'maxHeldBytes' | 'maxHeldBytesByAddress'>) {}

  /** @throws HttpError 429 or 503 if the bytes exceed a limit; none are then taken */
  requireRoom(network: string, bytes: number): void {
    const { maxHeldBytes, maxHeldBytesByAddress } = this.limits;
    const held = this.byNetwork.get(network) ?? 0;
    if (held + bytes > maxHeldBytesByAddress)
      throw new HttpError(
        429,
        `the unfinished request bodies from your address would hold more than ${maxHeldBytesByAddress} bytes; send fewer at once`,
        { code: 'too_many_unfinished_bodies', scope: 'unfinished-bodies', retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    if (this.total + bytes > maxHeldBytes)
      throw new HttpError(503, 'too many request bodies are being received; try again', {
        code: 'unavailable',
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
  }

  /** @throws HttpError as `requireRoom` */
  take(network: string, bytes: number): void {
    this.requireRoom(network, bytes);
    this.total += bytes;
    this.byNetwork.set(network, (this.byNetwork.get(network) ?? 0) + bytes);
  }

  release(network: string, bytes: number): void {
    this.total -= bytes;
    const left = (this.byNetwork.get(network) ?? 0) - bytes;
    if (left > 0) this.byNetwork.set(network, left);
    else this.byNetwork.delete(network);
  }

  /** Bytes held now, in all. */
  get size(): number {
    return this.total;
  }
}

const RETRY_AFTER_SECONDS = 1;
