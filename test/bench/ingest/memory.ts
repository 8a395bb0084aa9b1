import { readFileSync } from 'node:fs';

/** The most memory that a server takes beyond what it had at rest, and that its children take, in MiB. Linux only. */
export class MemoryWatch {
  readonly #atRest: number;
  #server = 0;
  #children = 0;
  #both = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(private readonly pid: number) {
    this.#atRest = residentMiB(pid);
    this.#timer = setInterval(() => this.#look(), 20);
  }

  stop(): { readonly serverMiB: number; readonly childMiB: number; readonly bothMiB: number } {
    clearInterval(this.#timer);
    return { serverMiB: this.#server, childMiB: this.#children, bothMiB: this.#both };
  }

  #look(): void {
    const server = residentMiB(this.pid) - this.#atRest;
    const children = childrenOf(this.pid).reduce((sum, child) => sum + residentMiB(child), 0);
    this.#server = Math.max(this.#server, server);
    this.#children = Math.max(this.#children, children);
    this.#both = Math.max(this.#both, server + children);
  }
}

function residentMiB(pid: number): number {
  try {
    return Number(/^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
