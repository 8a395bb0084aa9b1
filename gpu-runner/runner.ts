import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { callOnce, RemoteError, type Bus, type Subscription } from '#ports/bus/port.js';
import type { ObjectStoreAddress } from '#ports/object-store/open.js';
import type { Background } from '#primitives/background/background.js';
import type { Watch } from './work/watchdog.js';
import { Attempt } from '#gpu-runner/work/attempt.js';
import {
  cancelSubject,
  claimSubject,
  dispatchSubject,
  RUNNER_HEARTBEAT,
  runnerIdOf,
  WORK_KINDS,
  type AttemptRef,
  type ClaimReply,
  type ClaimRequest,
  type Dispatch,
  type Heartbeat,
  type Traced,
  type WorkKind,
} from './contract/work.js';
import { canRun, enginesOfRunner, isForBeside, type EngineOfRunner } from './contract/needs.js';
import type { EngineAddress, RegisteredEngine } from '#gpu-runner/engines/registered-engine.js';

type EngineOfAttempts = EngineAddress & Pick<RegisteredEngine, 'servers'>;

export interface GpuRunnerOptions {
  readonly bus: Bus;
  /** Unique among live runners: the same name with another boot id means that the former runner has ended. */
  readonly name: string;
  /** Address of the objects; each attempt's process opens the store itself. */
  readonly objectStore: ObjectStoreAddress;
  /** Files of running attempts. Emptied at start. */
  readonly workDirectory: string;
  /** The engines available to attempts. */
  readonly engines: readonly EngineOfAttempts[];
  /** Maximum number of concurrent attempts by kind. */
  readonly capacity?: Readonly<Record<WorkKind, number>>;
  readonly heapMiB?: number;
  readonly heartbeatMs?: number;
  readonly graceMs?: number;
  /** Milliseconds without progress after which the process of an attempt counts as hung and is killed. */
  readonly silenceMs?: number;
  /** Watches a process for such silence. Default: a timer of this process. */
  readonly watch?: Watch;
  /** Default: failures of work in the background are not reported. */
  readonly background?: Background;
}

export interface Runner {
  readonly runnerId: string;
  /** Process ids of the running attempts, by job or evaluation. */
  processes(): ReadonlyMap<string, number | undefined>;
  /** Attempts that run or are being claimed, by kind. */
  figures(): Readonly<Record<string, { readonly running: number; readonly room: number }>>;
  /** Accepts nothing more, stops running attempts in an orderly manner, and reports them. */
  close(): Promise<void>;
}

/** Generous: an engine may judge many rows between two reports, on a busy machine. */
const SILENCE_MS = 30 * 60_000;
const CLAIM_DEADLINE_MS = 10_000;
const CLAIM_TRIES = 3;
const ROOM_WAIT_MS = 1_000;

/**
 * Starts a runner: it accepts offered attempts while it has room, claims each in the job's own stream before it begins,
 * and runs it in a separate process. It needs only a bus and the objects.
 */
export function startRunner(options: GpuRunnerOptions): Runner {
  return new AttemptRunner(options);
}

/** Removes functions, which cannot be sent to another process. */
const addressOf = ({ name, version, module, hasOwnProcess, baseModels, servers }: EngineOfAttempts): EngineAddress => ({
  ...{ name, version, module, ...(hasOwnProcess && { hasOwnProcess }) },
  localServers: Object.fromEntries([...(servers ?? [])].filter(([, { isRemote }]) => !isRemote)),
  baseModels: baseModels.map(({ id, directory, generation }) => ({ id, directory, ...(generation && { generation }) })),
});

interface Slot {
  readonly number: number;
  /** Whether it may have the room beside the others. */
  readonly isForBeside: boolean;
  /** null while it is being claimed. */
  attempt: Attempt | null;
}

class AttemptRunner implements Runner {
  readonly runnerId: string;
  private readonly bootId = randomUUID();
  private readonly capacity: Readonly<Record<WorkKind, number>>;
  /** Attempts that run or are being claimed, by kind and id. */
  private readonly slots = new Map<string, Slot>();
  private readonly subscriptions: readonly Subscription[];
  private heartbeat: NodeJS.Timeout | undefined;
  private readonly ready: Promise<unknown>;
  private engines: readonly EngineOfRunner[] = [];
  private closing = false;

  constructor(private readonly options: GpuRunnerOptions) {
    this.runnerId = runnerIdOf(options.name, this.bootId);
    this.capacity = options.capacity ?? { training: 1, evaluation: 1, export: 1 };
    this.ready = Promise.all([rm(options.workDirectory, { recursive: true, force: true }), this.readEngines()]);
    const { bus } = options;
    this.subscriptions = WORK_KINDS.flatMap((kind) => [
      bus.take(dispatchSubject(kind), (body) => this.take(kind, body as unknown as Dispatch)),
      bus.listen(cancelSubject(kind), (body) => this.cancel(kind, body as unknown as AttemptRef)),
    ]);
  }

  processes(): ReadonlyMap<string, number | undefined> {
    return new Map(this.running().map((attempt) => [attempt.ref.id, attempt.pid]));
  }

  figures(): ReturnType<Runner['figures']> {
    return Object.fromEntries(
      WORK_KINDS.map((kind) => [kind, { running: this.taken(kind).length, room: this.capacity[kind] }]),
    );
  }

  async close(): Promise<void> {
    this.closing = true;
    // Stops attempts first, because a pending claim may wait long without an answer. An attempt that it still brings is
    // stopped as it starts.
    for (const attempt of this.running()) attempt.stop('shutdown');
    await Promise.all(this.subscriptions.map((subscription) => subscription.stop()));
    await Promise.all(this.running().map((attempt) => attempt.done));
    clearInterval(this.heartbeat);
  }

  /** Resolves when the attempt has been claimed, or is not to be had; rejects when it should be offered again, later. */
  private async take(kind: WorkKind, { needs, traceparent, ...ref }: Dispatch): Promise<void> {
    const trace = traceparent === undefined ? {} : { traceparent };
    const key = `${kind}/${ref.id}`;
    if (this.slots.get(key)?.number === ref.attempt) return;
    await this.ready;
    if (needs && !canRun(this.engines, needs))
      throw new Error(`runner ${this.runnerId} cannot run ${needs.baseModel.id} on engine ${needs.engine.name}`);
    const mayBeBeside = kind === 'training' && isForBeside(needs, this.beside);
    if (!this.hasRoom(kind, key, mayBeBeside)) await this.room(kind);
    if (!this.hasRoom(kind, key, mayBeBeside)) throw new Error(`runner ${this.runnerId} has no room`);
    const slot: Slot = { number: ref.attempt, isForBeside: mayBeBeside, attempt: null };
    this.slots.set(key, slot);
    try {
      const reply = await this.claim(kind, { ...ref, ...trace });
      if (reply.granted) this.begin(key, slot, reply, trace);
      else this.slots.delete(key);
    } catch (error) {
      this.slots.delete(key);
      throw error;
    }
  }

  /** Heartbeats begin once the engines are known. */
  private async readEngines(): Promise<void> {
    const { engines, background } = this.options;
    this.engines = await enginesOfRunner(engines, (error) => background?.failed('read-base-model', error));
    if (this.closing) return;
    this.heartbeat = setInterval(() => this.beat(), this.options.heartbeatMs ?? 1_000);
    this.beat();
  }

  /** An earlier attempt at the same thing must be gone first. */
  private hasRoom(kind: WorkKind, key: string, mayBeBeside: boolean): boolean {
    if (this.closing || this.slots.has(key)) return false;
    const taken = this.taken(kind);
    const isBesideFree = !taken.some((slot) => slot.isForBeside);
    const left = this.capacity[kind] - taken.length + (isBesideFree ? 0 : 1);
    return left > 0 || (mayBeBeside && isBesideFree);
  }

  private taken(kind: WorkKind): readonly Slot[] {
    return [...this.slots].flatMap(([key, slot]) => (key.startsWith(`${kind}/`) ? [slot] : []));
  }

  /** Small trainings of engines without a process of their own run beside another. */
  private get beside(): readonly string[] {
    return this.options.engines.filter(({ hasOwnProcess }) => !hasOwnProcess).map(({ name }) => name);
  }

  /** Waits a moment for room: an attempt that has just ended is still being cleared away. */
  private async room(kind: WorkKind): Promise<void> {
    const ending = [...this.slots].flatMap(([key, { attempt }]) =>
      key.startsWith(`${kind}/`) && attempt ? [attempt.done] : [],
    );
    const patience = new AbortController();
    await Promise.race([...ending, sleep(ROOM_WAIT_MS, undefined, { signal: patience.signal }).catch(() => undefined)]);
    patience.abort();
  }

  private running(): Attempt[] {
    return [...this.slots.values()].flatMap(({ attempt }) => (attempt ? [attempt] : []));
  }

  private begin(
    key: string,
    slot: Slot,
    { work, objectKeys }: Extract<ClaimReply, { granted: true }>,
    trace: Traced,
  ): void {
    const { bus, workDirectory, objectStore, engines } = this.options;
    const attempt = new Attempt(work, {
      bus,
      runnerId: this.runnerId,
      ...trace,
      workDirectory,
      heapMiB: this.options.heapMiB ?? 2048,
      graceMs: this.options.graceMs ?? 10_000,
      silenceMs: this.options.silenceMs ?? SILENCE_MS,
      watch: this.options.watch,
      background: this.options.background,
      setup: { engines: engines.map(addressOf), objectStore, objectKeys },
    });
    slot.attempt = attempt;
    if (this.closing) attempt.stop('shutdown');
    this.beat();
    void attempt.done.finally(() => {
      this.slots.delete(key);
      if (!this.closing) this.beat();
    });
  }

  /** A claim whose answer was lost is repeated: the same runner is granted it twice. */
  private async claim(kind: WorkKind, ref: AttemptRef & Traced): Promise<ClaimReply> {
    const request: ClaimRequest = { ...ref, runnerId: this.runnerId };
    for (let tries = 1; ; tries += 1) {
      try {
        const options = { deadlineMs: CLAIM_DEADLINE_MS };
        return (await callOnce(this.options.bus, claimSubject(kind), request, options)) as unknown as ClaimReply;
      } catch (error) {
        if (tries === CLAIM_TRIES || error instanceof RemoteError) throw error;
      }
    }
  }

  private cancel(kind: WorkKind, { id, attempt }: AttemptRef): void {
    const running = this.slots.get(`${kind}/${id}`);
    if (running && running.number <= attempt) running.attempt?.stop('unwanted');
  }

  private beat(): void {
    const working = [...this.slots].flatMap(([key, { attempt }]) =>
      attempt ? [{ kind: key.split('/')[0] as WorkKind, ...attempt.ref, progress: attempt.progress }] : [],
    );
    const { runnerId, bootId, capacity, beside, engines } = this;
    const beat: Heartbeat = { runnerId, name: this.options.name, bootId, capacity, beside, engines, working };
    this.options.bus.signal(RUNNER_HEARTBEAT, beat);
  }
}
