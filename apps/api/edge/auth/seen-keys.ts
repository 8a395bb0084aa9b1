import type { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { ABSENT } from '#ports/coordination/port.js';
import type { SecretKey } from '#primitives/secrets/index.js';
import { recordAct } from '#application/accounts/index.js';
import { originOf } from '../connections/origin.js';
import type { FastifyRequest } from '../http.js';

const KNOWN_MS = 90 * 24 * 3_600_000;
const DAY_MS = 24 * 3_600_000;
/** Origins of one key that are put on the log in a day. */
export const MAX_A_DAY = 100;
const MAX_REMEMBERED = 10_000;

/** Puts on the log where each key is used from, once in 90 days. No request waits for it. */
export class SeenKeys {
  /** Looked up in coordination on this day. */
  private readonly seen = new Set<string>();

  constructor(
    private readonly application: Application,
    private readonly secret: SecretKey,
  ) {}

  saw(caller: Caller, request: Pick<FastifyRequest, 'ip' | 'headers'>): void {
    if (caller.keyId === null) return;
    const day = Math.floor(Date.now() / DAY_MS);
    const known = `${day} ${caller.keyId} ${request.ip} ${request.headers['user-agent'] ?? ''}`;
    if (this.seen.has(known)) return;
    if (this.seen.size >= MAX_REMEMBERED) this.seen.clear();
    this.seen.add(known);
    const { ip, headers } = request;
    void this.application.background.once('record-key-origin', this.record(caller, caller.keyId, { ip, headers }));
  }

  private async record(caller: Caller, keyId: string, request: Pick<FastifyRequest, 'ip' | 'headers'>): Promise<void> {
    const { coordination } = this.application.ports;
    const origin = originOf(request, this.secret);
    // Versions of a program are one program.
    const agent = origin.agent?.split(/[\s/]/, 1)[0] ?? null;
    const key = `key-origin:${keyId}:${origin.address}:${agent?.slice(0, 64) ?? ''}`;
    if (await coordination.get(key)) return;
    // Counted first, so that a key under ever other names of programs fills nothing.
    const { applied } = await coordination.increment(`key-origins:${keyId}`, 1, DAY_MS, MAX_A_DAY);
    if (!applied || !(await coordination.compareAndSet(key, ABSENT, true, KNOWN_MS))) return;
    const { userId, workspaceId } = caller;
    await recordAct(this.application, {
      type: 'key-origin-seen.v1',
      data: { keyId, userId, workspaceId, origin: { ...origin, agent } },
    });
  }
}
