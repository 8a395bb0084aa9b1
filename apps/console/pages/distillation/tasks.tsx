import type { ReactElement } from 'react';
import { Button } from '../../components/button.js';
import { Table } from '../../components/table.js';
import { aboutDollars, number, percent } from '../../components/values.js';
import { formOf, lacksCalls, savedBy, shareAt, USUAL_TARGET, type Task } from './savings.js';

interface Props {
  readonly tasks: readonly Task[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
}

/** The tasks, those that cost most first. */
export const Tasks = ({ tasks, chosen, onChoose }: Props): ReactElement => (
  <Table
    caption="Repeated tasks"
    rows={tasks}
    rowKey={({ id, model }) => `${id} ${model}`}
    columns={[
      {
        head: 'Task',
        cell: ({ prompt, id, model }) => (
          <>
            <span className="line-clamp-2 min-w-56 break-words">
              {prompt === null ? id : `“${beginningOf(prompt)}”`}
            </span>
            <span className="text-xs text-muted">{model}</span>
          </>
        ),
      },
      { head: 'Answer', cell: formOf },
      { head: 'Calls', number: true, cell: ({ calls }) => number(calls), by: ({ calls }) => calls },
      {
        head: 'Cost a month',
        number: true,
        cell: ({ cost_a_month }) => aboutDollars(cost_a_month),
        by: ({ cost_a_month }) => cost_a_month,
      },
      { head: 'Could answer', number: true, cell: answered, by: (task) => shareAt(task, USUAL_TARGET) },
      {
        head: 'Saves',
        number: true,
        cell: (task) => {
          const saved = savedBy(task);
          return saved === null ? '–' : aboutDollars(saved);
        },
        by: savedBy,
      },
      {
        head: <span className="sr-only">Choose</span>,
        cell: (task) => (
          <Button
            aria-pressed={task.id === chosen}
            aria-label={`${verbOf(task)}: ${task.prompt === null ? task.id : beginningOf(task.prompt)}`}
            className="whitespace-nowrap"
            {...(task.suitable === 'yes' && { kind: 'main' })}
            onClick={() => onChoose(task.id)}
          >
            {verbOf(task)}
          </Button>
        ),
      },
    ]}
  />
);

const VERBS: Readonly<Record<Task['suitable'], string>> = {
  yes: 'Distil a model',
  ask: 'Look closer',
  no: 'Why not',
};
const verbOf = (task: Task): string => VERBS[lacksCalls(task) ? 'ask' : task.suitable];

const MOST_SHOWN = 90;
const beginningOf = (prompt: string): string =>
  prompt.length > MOST_SHOWN ? `${prompt.slice(0, MOST_SHOWN)}…` : prompt;

function answered(task: Task): string {
  const share = shareAt(task, USUAL_TARGET);
  if (share !== null && task.suitable !== 'no') return percent(share);
  return task.suitable === 'no' ? '–' : 'a training tells';
}
