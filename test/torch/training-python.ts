import { run } from '#test/servers/tools.js';

/** Process ids of a training in Python. */
interface TrainingProcesses {
  /** The one that the runner speaks with. */
  readonly first: number;
  /** The other processes of the training. */
  readonly others: readonly number[];
}

/** The processes of the training that a runner in this process runs now. @throws Error where none is */
export async function trainingPython(): Promise<TrainingProcesses> {
  const processes = (await run('ps', ['-A', '-o', 'pid=,ppid=,args=']))
    .trim()
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line)!)
    .map(([, pid, parent, command]) => ({ pid: Number(pid), parent: Number(parent), command: command! }));
  const childrenOf = (parent: number | undefined, command: string) =>
    processes.filter((each) => each.parent === parent && each.command.includes(command)).map(({ pid }) => pid);
  const [attempt] = childrenOf(process.pid, 'training-child.js');
  const [first] = attempt === undefined ? [] : childrenOf(attempt, 'anneal_runner');
  if (first === undefined) throw new Error('no training runs in Python');
  return { first, others: childrenOf(first, 'anneal_runner.training.member') };
}
