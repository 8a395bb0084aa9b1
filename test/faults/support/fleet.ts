import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { SpawnedRole } from '#apps/demo/system.js';
import { untilReady } from '#test/deployments/ready.js';
import type { Distributed } from '#test/deployments/distributed.js';
import { eventually } from '#test/support/eventually.js';

export type Role = 'api' | 'worker' | 'gpu-runner';

/** A place for one process of a role; others follow one that was killed. */
export interface Member {
  readonly role: Role;
  process: SpawnedRole | null;
}

/** Processes of one role each, to be killed and started again one by one. */
export class Fleet {
  readonly members: Member[] = [];
  /** Children of killed processes. */
  private readonly orphans: number[] = [];
  /** Every process that was ever started. */
  private readonly started: SpawnedRole[] = [];

  constructor(
    private readonly deployment: Distributed,
    private readonly settings: Readonly<Record<string, string>>,
  ) {}

  async add(role: Role, count: number): Promise<void> {
    const added = Array.from({ length: count }, (): Member => ({ role, process: null }));
    this.members.push(...added);
    await Promise.all(added.map((member) => this.start(member)));
  }

  of(role: Role): Member[] {
    return this.members.filter((member) => member.role === role);
  }

  /** Addresses of the APIs that run now. */
  urls(): string[] {
    return this.of('api').flatMap(({ process }) => (process ? [urlOf(process)] : []));
  }

  /** Resolves once every API that runs can serve all requests. */
  async ready(): Promise<void> {
    await untilReady(this.urls(), this.deployment.environment['ANNEAL_BUS']!);
  }

  /** The runner of that name. */
  runner(name: string): Member {
    const found = this.of('gpu-runner').find(({ process }) => process?.line.startsWith(`Runner ${name} `));
    if (!found) throw new Error(`no runner ${name} runs`);
    return found;
  }

  /** A process that has a running child. */
  async withChild(role: Role): Promise<Member | undefined> {
    for (const member of this.of(role))
      if (member.process && (await childrenOf(member.process.pid)).length > 0) return member;
    return undefined;
  }

  /** SIGKILL. */
  async kill(member: Member): Promise<void> {
    const { process } = member;
    if (!process) throw new Error(`this ${member.role} does not run`);
    member.process = null;
    this.orphans.push(...(await childrenOf(process.pid)));
    await process.end('SIGKILL');
  }

  async start(member: Member): Promise<void> {
    member.process = await this.deployment.spawn(member.role, this.settings);
    this.started.push(member.process);
  }

  /** The latest lines that each process has logged. */
  logged(): string[] {
    return this.started.flatMap(({ logged }) => logged);
  }

  /** Processes that ended without being killed. */
  crashed(): string[] {
    return this.members.flatMap(({ role, process }) =>
      process && !isAlive(process.pid) ? [`${role} ${process.pid}`] : [],
    );
  }

  /** Resolves when no child of a killed process is left. */
  async orphansEnded(): Promise<void> {
    await eventually(() => !this.orphans.some(isAlive));
  }

  async end(signal?: NodeJS.Signals): Promise<void> {
    await Promise.all(
      this.members.map(async (member) => {
        await member.process?.end(signal);
        member.process = null;
      }),
    );
  }

  async startAll(): Promise<void> {
    await Promise.all(this.members.filter(({ process }) => !process).map((member) => this.start(member)));
  }
}

const urlOf = ({ line }: SpawnedRole): string => new URL(/http:\/\/\S+/.exec(line)![0]).origin;

async function childrenOf(pid: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'ppid=,pid=']);
  const pairs = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([parent, child]) => (parent === pid ? [child!] : []));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
