import { readFile } from 'node:fs/promises';

const EVERY_MS = 500;
const PAGE_BYTES = 4096;

export interface MemorySample {
  readonly pid: number;
  /** A time of `performance.now()`. */
  readonly at: number;
  readonly mebibytes: number;
}

/** Samples the resident memory of processes until told to stop; of a system without /proc, none. */
export class MemoryWatch {
  readonly samples: MemorySample[] = [];
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly pids: () => readonly number[]) {
    this.timer = setInterval(() => void this.sample(), EVERY_MS);
  }

  /** The most that each process had in a span of time. */
  most(from: number, to: number): Map<number, number> {
    const within = this.samples.filter(({ at }) => at >= from && at <= to);
    const most = new Map<number, number>();
    for (const { pid, mebibytes } of within) most.set(pid, Math.max(mebibytes, most.get(pid) ?? 0));
    return most;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async sample(): Promise<void> {
    for (const pid of this.pids()) {
      const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => null);
      if (statm === null) continue;
      const mebibytes = (Number(statm.split(' ')[1]) * PAGE_BYTES) / 1024 / 1024;
      this.samples.push({ pid, at: performance.now(), mebibytes });
    }
  }
}
