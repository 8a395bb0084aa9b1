import { run } from '#test/servers/tools.js';

/** The process id of the Python of the training that a runner in this process has under way. @throws Error where none is */
export async function trainingPython(): Promise<number> {
  const processes = (await run('ps', ['-A', '-o', 'pid=,ppid=,args=']))
    .trim()
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line)!)
    .map(([, pid, parent, command]) => ({ pid: Number(pid), parent: Number(parent), command: command! }));
  const childOf = (parent: number, command: string) =>
    processes.find((each) => each.parent === parent && each.command.includes(command));
  const attempt = childOf(process.pid, 'training-child.js');
  const python = attempt && childOf(attempt.pid, 'anneal_runner');
  if (!python) throw new Error('no training runs in Python');
  return python.pid;
}
