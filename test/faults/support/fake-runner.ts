import { randomUUID } from 'node:crypto';
import { enginesOfRunner } from '#gpu-runner/contract/needs.js';
import { ENGINES } from '#gpu-runner/engines/engines.js';
import { openNatsBus } from '#ports/bus/nats/index.js';
import { callOnce, type Bus } from '#ports/bus/port.js';
import type { TrainingMetrics } from '#domain/training-job/index.js';
import {
  claimSubject,
  dispatchSubject,
  reportSubject,
  RUNNER_HEARTBEAT,
  runnerIdOf,
  type AttemptRef,
  type ClaimReply,
  type ClaimRequest,
  type Heartbeat,
  type WorkReport,
  type ReportReply,
  type ReportRequest,
} from '#gpu-runner/contract/work.js';

const DEADLINE_MS = 10_000;

/** The bus side of a runner, in the hands of a test: it does what it is told, when it is told. */
export class FakeRunner {
  readonly runnerId: string;
  private readonly bootId = randomUUID();
  private beating: NodeJS.Timeout | undefined;

  private constructor(
    readonly bus: Bus,
    private readonly name: string,
    private readonly engines: Heartbeat['engines'],
  ) {
    this.runnerId = runnerIdOf(name, this.bootId);
  }

  /** @param address of the bus, with the prefix of the deployment */
  static async join(address: string, name: string): Promise<FakeRunner> {
    const bus = await openNatsBus(address, { onError: () => undefined });
    return new FakeRunner(bus, name, await enginesOfRunner(ENGINES.all));
  }

  /** Says from now on that it has this room. */
  present(room: number): void {
    const beat: Heartbeat = {
      ...{ runnerId: this.runnerId, name: this.name, bootId: this.bootId },
      capacity: { training: room, evaluation: 0, export: 0 },
      engines: this.engines,
      working: [],
    };
    this.bus.signal(RUNNER_HEARTBEAT, beat);
    this.beating = setInterval(() => this.bus.signal(RUNNER_HEARTBEAT, beat), 500);
  }

  absent(): void {
    clearInterval(this.beating);
  }

  offer(ref: AttemptRef): Promise<void> {
    return this.bus.offer(dispatchSubject('training'), randomUUID(), ref);
  }

  async claim(ref: AttemptRef): Promise<ClaimReply> {
    const request: ClaimRequest = { ...ref, runnerId: this.runnerId };
    return (await callOnce(this.bus, claimSubject('training'), request, {
      deadlineMs: DEADLINE_MS,
    })) as unknown as ClaimReply;
  }

  /** @returns whether the attempt still counts */
  async report(ref: AttemptRef, report: WorkReport, commandId: string = randomUUID()): Promise<boolean> {
    const at = new Date().toISOString();
    const request: ReportRequest = { ...ref, runnerId: this.runnerId, commandId, at, report };
    const options = { deadlineMs: DEADLINE_MS };
    return ((await callOnce(this.bus, reportSubject('training'), request, options)) as unknown as ReportReply).wanted;
  }

  async close(): Promise<void> {
    this.absent();
    await this.bus.close();
  }
}

/** A report of success, with files that do not exist. */
export const trained = ({ id, attempt }: AttemptRef): WorkReport => ({
  kind: 'trained',
  epochsRun: 1,
  metrics: METRICS,
  artifact: {
    objectPrefix: `jobs/${id}/${attempt}/artifact`,
    files: [{ name: 'adapter_model.safetensors', size: 1, sha256: '0'.repeat(64) }],
  },
});

const METRICS: TrainingMetrics = {
  ...{ f1: 1, precision: 1, recall: 1, macroF1: 1, accuracy: 1, perLabel: {}, heads: {} },
  judgedRows: 0,
  overlappingRows: null,
  ...{ finalTrainingLoss: 0, finalValidationLoss: 0, bestValidationLoss: 0 },
};
